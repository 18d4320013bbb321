// The state of an AI Mode page at this moment, as a JSON string: a `PageState` of page_state.py.
//
// The script only reads, and depends on no language and no class name: it uses attributes
// (data-container-id, data-xid, ...), roles and rendering, and if an attribute is missing, the
// shape of the page. It runs in an isolated world, so the page cannot change what
// `querySelectorAll` means. The other files of this folder that it needs are inserted into its
// scope.
//
// `given`: the closed shadow roots of the page, which only the protocol can find; and the question
// whose turn is read. Without a question, the last turn is read, and all turns count as earlier
// ones for the next question.
function readPageState(...given) {
  const question = given.find((one) => typeof one === "string");
  const closedRoots = given.filter((one) => one !== question);
  const STREAM = /^\/async\/fol/;
  const PAGE_TEXT_MAX = 4000;

  // State that is kept between calls, as long as the document lives.
  const memory = (globalThis[Symbol.for("tabwright.memory")] ??= {
    announcements: 0,
    regions: new WeakSet(),
    turns: new WeakMap(),
    earlier: new WeakSet(),
    turnsSeen: 0,
  });

  /* library */

  const seen = {
    url: location.href,
    title: document.title,
    ready: document.readyState === "complete",
    captcha: anyShown('form#captcha-form,form[action="index"],[data-sitekey],iframe[src*="recaptcha"]'),
    consent: anyShown('#L2AGLb,#W0wltc,form[action^="https://consent.google"]'),
    log_in: anyShown(LOG_IN),
    composer: document.querySelector(COMPOSER) !== null,
    text: turns.length ? "" : (document.body?.innerText ?? "").slice(0, PAGE_TEXT_MAX),
    announcements: announcementsSoFar(),
    stop: stopButton(),
    streams: finishedStreams(),
    loaded_at: performance.timeOrigin,
    turns: turns.length,
    turn: turns.length ? readTurn(ownTurn()) : null,
  };
  return JSON.stringify(seen, wellFormed);

  // Every answer is announced with the same sentence, so the announcements are counted.
  function announcementsSoFar() {
    const region = document.getElementById("goog-lr-2");
    const regions = region ? [region] : [...document.querySelectorAll("[aria-live]")];
    regions.filter((one) => !memory.regions.has(one)).forEach(listenTo);
    return memory.announcements;
  }

  function listenTo(region) {
    const count = () => {
      if (region.textContent.trim()) memory.announcements += 1;
    };
    memory.regions.add(region);
    new MutationObserver(count).observe(region, {
      childList: true, characterData: true, subtree: true,
    });
    count();
  }

  function stopButton() {
    const button = document.querySelector(STOP);
    if (!button) return "absent";
    return isShown(button) ? "shown" : "hidden";
  }

  function finishedStreams() {
    const requests = performance.getEntriesByType("resource");
    return requests.filter((one) => one.responseEnd > 0 && STREAM.test(new URL(one.name).pathname))
      .length;
  }

  function anyShown(selector) {
    return [...document.querySelectorAll(selector)].some(isShown);
  }

  // Half an emoji can stand at the end of a text that is still streaming.
  function wellFormed(_key, value) {
    return typeof value === "string" ? value.toWellFormed() : value;
  }
}
