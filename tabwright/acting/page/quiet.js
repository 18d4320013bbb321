// When the page has come to rest, and when it shows what somebody waits for.

const QUIET_FRAMES = 2;

// Waits until nothing of the document has changed for two frames, `ms` at most. Where nothing has
// changed since `stirred` was called, it is waited for first, `late` milliseconds at most.
async function quiet(ms, late) {
  if (late && !stirred()) await changed(late);
  const end = performance.now() + ms;
  let calm = 0;
  const observer = new MutationObserver(() => { calm = 0; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  while (calm < QUIET_FRAMES && performance.now() < end) {
    calm += 1;
    await nextFrame();
  }
  observer.disconnect();
  return calm >= QUIET_FRAMES;
}

let stirring = null;
let moved = false;

// Whether anything of the document has changed since this was last asked.
function stirred() {
  if (!stirring) {
    stirring = new MutationObserver(() => { moved = true; });
    stirring.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    return true;
  }
  const has = moved || stirring.takeRecords().length > 0;
  moved = false;
  return has;
}

function holds(wish) {
  if (!document.body) return false;
  if (wish.url && !location.href.includes(wish.url)) return false;
  if (wish.selector && !document.querySelector(wish.selector)) return false;
  if (wish.text && !textHolder(document.body, clean(wish.text).toLowerCase())) return false;
  return !(wish.gone && textHolder(document.body, clean(wish.gone).toLowerCase()));
}

// Waits until the page holds what is wished, `ms` at most.
async function until(wish, ms) {
  const end = performance.now() + ms;
  while (!holds(wish)) {
    if (performance.now() >= end) return false;
    await changed(Math.min(500, end - performance.now()));
  }
  return true;
}

function changed(ms) {
  return new Promise((resolve) => {
    const done = () => { clearTimeout(timer); observer.disconnect(); resolve(); };
    const observer = new MutationObserver(() => requestAnimationFrame(done));
    const timer = setTimeout(done, ms);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}
