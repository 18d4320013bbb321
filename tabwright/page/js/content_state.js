// The visible state of a document as a JSON string, once its DOM has been quiet for a moment or has
// kept changing for longer. `wanted` is a text, or css= and a selector, that it must show.
async function contentState(wanted) {
  const QUIET_MS = 100;
  const CHANGING_MS = 500;
  const RISING_MS = 1000;
  const ELEMENTS_MAX = 5000;
  const FRAMES_MAX = 50;
  const PICTURE_SIDE = 150; // smaller ones are icons and logos
  const APART_CHARACTERS = 1000; // assumed for a frame whose content cannot be read
  const BESIDE = "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo]";
  const SKELETONS = "[aria-busy=true], [class*=skeleton i], [class*=shimmer i]";
  const PAGES = `${BESIDE}, [class*=pagina i], [class*=pager i]`; // in which "…" means more numbers
  const LIVE = "[aria-live], [role=alert], [role=log], [role=status]";
  const SPINNERS = "[class*=spinner i], [role=progressbar]:not([aria-valuenow])";
  const { loading, saying, blank, others, charactersMax } = PLACEHOLDERS; // of tabwright.text.placeholders
  const LOADING = new Map(Object.entries(loading)); // by tag
  const BLANK = new RegExp(blank);
  const DOTS = /^[….]/;
  const BLOCKS = "div, p, section";
  const LABEL = /[:：]$/;
  const TEXT_CHARACTERS = 500; // a longer text with white space is none of these
  const NUMBER = /^[^\d:]{0,3}\d[\d.,'’\s]*[^\d:]{0,8}$/; // not a time of day
  const NUMBER_CHARACTERS = 30;
  const NUMBERS_MAX = 100;
  const RISES_MIN = 3; // in one look, and for each fall: a clock changes once a second
  const RISE = 1.0001; // by which it rises at least: the time in milliseconds does not
  const GAUGES = "progress, time, [role=progressbar], [role=timer], [class*=progress i], [class*=timer i], [class*=clock i], [class*=loader i]";

  // Reads a property even if a field of a form shadows it.
  const propertyOf = (element, name) => Reflect.get(Object.getPrototypeOf(element), name, element);
  // The numbers that change, for example from 0 to the number of users, a step per frame.
  const numbers = new Map();
  const follow = ({ target }) => {
    const element = target instanceof Text ? target.parentElement : target;
    const text = element?.firstChild;
    if (!(text instanceof Text) || text.nextSibling || text.length > NUMBER_CHARACTERS || !NUMBER.test(text.data.trim())) return;
    const value = Number(text.data.replace(/\D/g, ""));
    const { first, last, rises, falls } = numbers.get(element) ?? { first: value, last: value, rises: 0, falls: 0 };
    const next = { first, last: value, rises: rises + (value > last), falls: falls + (value < last) };
    if (numbers.has(element) || numbers.size < NUMBERS_MAX) numbers.set(element, next);
  };
  const isRising = ([element, { first, last, rises, falls }]) =>
    rises > falls * RISES_MIN && last > first * RISE && !propertyOf(element, "closest").call(element, GAUGES);
  const isCounting = ([element, counted]) => counted.rises >= RISES_MIN && isRising([element, counted]);

  const lengthOf = () => document.body?.textContent.length ?? 0;
  const lengthBefore = lengthOf();
  const quiet = await new Promise((resolve) => {
    const end = (still) => { observer.disconnect(); clearTimeout(timer); clearTimeout(changing); resolve(still); };
    // A busy machine draws few frames: a number that rises is watched for longer.
    const watches = () => [...numbers].some(isRising);
    const observer = new MutationObserver((records) => {
      records.slice(0, NUMBERS_MAX).forEach(follow);
      clearTimeout(timer);
      timer = setTimeout(end, watches() ? CHANGING_MS : QUIET_MS, true);
    });
    let timer = setTimeout(() => end(true), QUIET_MS);
    let changing = setTimeout(() => {
      if (watches()) changing = setTimeout(() => end(false), RISING_MS);
      else end(false);
    }, CHANGING_MS);
    observer.observe(document, { childList: true, subtree: true, characterData: true });
  });

  const textOf = (element) => ((element && propertyOf(element, "innerText")) ?? "").trim();
  const isRendered = (element) =>
    propertyOf(element, "checkVisibility").call(element, { opacityProperty: true, visibilityProperty: true });
  const isSeen = (element) => {
    const { width, height } = propertyOf(element, "getBoundingClientRect").call(element);
    return width > 0 && height > 0 && isRendered(element);
  };
  // A skeleton has its height from a style sheet, which the tab may not load. So has a spinner, but
  // many pages keep one that the sheet hides.
  const isBusy = () =>
    [...document.querySelectorAll(SKELETONS)].some(isRendered) || [...document.querySelectorAll(SPINNERS)].some(isSeen);
  // Until its document arrives, a frame of any site has an empty document, which we can read.
  const isComing = ({ src, contentDocument: shown }) =>
    src && shown?.URL === "about:blank" && !shown.body?.hasChildNodes();
  const isAwaited = (frame) =>
    frame.loading !== "lazy" && URL.parse(frame.src)?.origin === location.origin &&
    (isComing(frame) || frame.contentDocument?.readyState === "loading");
  const saysLoading = (text, pattern) =>
    text.length <= charactersMax && new RegExp(`^(?:${pattern})`, "u").test(text.toLowerCase().replace(/^[^\p{L}]+/u, ""));
  // A text for screen readers stays on the page after the event that it announces. A region whose
  // children are positioned has no height either, but does not clip them.
  const isAnnounced = (element) => {
    const region = element.closest(LIVE);
    if (!region) return false;
    const { width, height } = region.getBoundingClientRect();
    const { overflow, clip, clipPath } = getComputedStyle(region);
    const isClipped = overflow !== "visible" || clip !== "auto" || clipPath !== "none";
    const { right, bottom } = element.getBoundingClientRect();
    return (isClipped && Math.min(width, height) <= 1) || right + scrollX <= 0 || bottom + scrollY <= 0;
  };
  const textIn = (element) => element.textContent.trim().slice(0, TEXT_CHARACTERS).replace(/\s+/g, " ");
  const isShown = (element) => !element.closest(others.join()) && isSeen(element) && !isAnnounced(element);
  // A short text, not part of another, by which the page says that it is loading.
  const saysSo = (element) => saysLoading(textIn(element), LOADING.get(element.localName) ?? LOADING.get("")) && isShown(element);
  // A script that fills in a value finds it by an id or a class; or a label is before it. A block
  // between paragraphs separates them. Dots that are hidden from screen readers end a shortened text.
  const scripted = [...document.scripts].some(({ type }) => !/json/i.test(type)) || document.querySelector("[onload]");
  const isLabeled = ({ previousSibling: text, previousElementSibling: element }) =>
    LABEL.test(text?.textContent.trim() || element?.textContent.trim());
  const isSeparator = (element) =>
    element.matches(BLOCKS) && [element.previousElementSibling, element.nextElementSibling].some((one) => one?.matches("p"));
  const isValue = (element) => element.id || isLabeled(element) || (element.classList.length && !isSeparator(element));
  const isBlankValue = (element) => {
    const text = textIn(element);
    if (!BLANK.test(text) || !isValue(element) || element.closest("td, th")) return false;
    return !(DOTS.test(text) && element.closest(`${PAGES}, [aria-hidden=true]`)) && isShown(element);
  };
  const shows = () => {
    if (!wanted) return true;
    if (!wanted.startsWith("css=")) return textOf(document.body).toLowerCase().includes(wanted.toLowerCase());
    return document.querySelector(wanted.slice(4)) !== null;
  };

  // A frame of another site that is large enough to have content.
  const isApart = (frame) => /^https?:/.test(frame.src) && !frame.contentDocument && isSeen(frame) && frame.getBoundingClientRect().height > 50;
  const inFrames = () => frames.reduce((sum, one) => sum + (isApart(one) ? APART_CHARACTERS : textOf(one.contentDocument?.body).length), 0);

  const isPicture = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return Math.min(width, height) >= PICTURE_SIDE && isRendered(element);
  };

  // Until a script fills it, the only main element is empty, regardless of the content around it.
  const isBlank = (element) => !textOf(element) && !element.querySelector("iframe, img, svg, canvas, video, input, button");
  const mains = document.querySelectorAll("main, [role=main]");
  const isMainToCome = mains.length === 1 && isBlank(mains[0]);

  const frames = [...document.querySelectorAll("iframe")].slice(0, FRAMES_MAX);
  const whole = textOf(document.body);
  const beside = [...document.querySelectorAll(BESIDE)].filter((one) => !one.closest("main, article") && !one.parentElement?.closest(BESIDE));
  const shown = whole.length - beside.reduce((sum, one) => sum + textOf(one).length, 0);
  const leaves = [...document.querySelectorAll("body *")].filter((one) => !one.childElementCount).slice(0, ELEMENTS_MAX);
  return JSON.stringify({
    quiet,
    shown: (isMainToCome ? 0 : shown > 0 ? shown : whole.length) + inFrames(),
    waits: saysLoading(whole, saying) || isBusy() || leaves.some(saysSo),
    blanks: Boolean(scripted) && leaves.some(isBlankValue),
    frames: frames.some(isAwaited),
    found: shows(),
    grew: lengthOf() > lengthBefore,
    counts: [...numbers].some(isCounting),
    pictures: [...document.querySelectorAll("canvas, embed, iframe, img, object, svg, video")].some(isPicture),
  });
}
