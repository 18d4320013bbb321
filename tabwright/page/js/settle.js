// Detects when the page has settled, and when it shows what a caller waits for.

const QUIET_FRAMES = 2;

const ANIMATION_MS = 600;
const SHOWING = new Set([
  "opacity", "visibility", "display", "transform", "translate", "scale", "height", "maxHeight", "width", "top", "left",
  "right", "bottom", "marginTop", "marginLeft", "clipPath", "gridTemplateRows",
]);

// Whether a short animation is running that shows, hides or moves something that can be pressed.
function isAnimating() {
  return animations().some((animation) => {
    const { effect, playState } = animation;
    const element = effect?.target;
    if (playState !== "running" || !(element instanceof Element)) return false;
    const { endTime, localTime } = effect.getComputedTiming();
    if (!(endTime - localTime > 0 && endTime - localTime <= ANIMATION_MS)) return false;
    const properties = effect.getKeyframes().flatMap(Object.keys);
    if (!properties.some((name) => SHOWING.has(name))) return false;
    return getComputedStyle(element).pointerEvents !== "none" || holdsControls(element);
  });
}

// Waits until nothing in the document has changed for two frames and no short animation is running,
// `ms` at most. If nothing has changed since `stirred` was called, it waits for a change first, at
// most `late` milliseconds.
async function quiet(ms, late) {
  if (late && !stirred()) await changed(late);
  const end = performance.now() + ms;
  const animatedEnd = performance.now() + ANIMATION_MS;
  let calm = 0;
  const observer = new MutationObserver(() => { calm = 0; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (;;) {
    await nextFrame();
    calm += 1;
    const now = performance.now();
    if (now < animatedEnd && isAnimating()) calm = 0;
    else if (calm >= QUIET_FRAMES || now >= end) break;
  }
  observer.disconnect();
  return calm >= QUIET_FRAMES;
}

let stirring = null;
let moved = false;

// Whether anything in the document has changed since the last call.
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

// Which of the awaited conditions the page shows: {text, gone, selector}, a boolean for each.
// `selector` is the steps of a locator; its matches need not be visible.
function shows({ text, gone, selector }) {
  return {
    text: (text ?? []).some(isSaid),
    gone: Boolean(gone) && isSaid(gone),
    selector: Boolean(selector) && located(selector).count > 0,
  };
}

// Whether the document shows a text that an outline would contain: words, or the name of a control,
// a picture or a group. Values of fields do not count, because a caller waits for a text that it
// has just typed to appear elsewhere.
function isSaid(text) {
  const wanted = clean(text).toLowerCase();
  const has = (words) => clean(words).toLowerCase().includes(wanted);
  return wordsOf(document).some(has) || namesWithin(document).some(has);
}

// The texts of a root and of the shadow roots in it.
function wordsOf(root) {
  const own = root === document ? [body()?.innerText ?? ""] : [composedText(root.host)];
  const inner = [...allIn(root, "*")].map(rootOf).filter(Boolean);
  return [...own, ...inner.flatMap(wordsOf)];
}

const NAMED = () => `${CONTROL_SELECTOR}, [aria-label], [aria-labelledby], [role], img, area, iframe, fieldset, table`;

function namesWithin(root) {
  const names = [];
  for (const element of allIn(root, "*")) {
    const inner = rootOf(element);
    if (inner) names.push(...namesWithin(inner));
    if (!fits(element, NAMED()) || !isShown(clickable(element))) continue;
    const role = roleOf(element);
    if (controlRole(element, role) || GROUPS.has(role) || PICTURES.has(role)) names.push(nameOf(element, role));
  }
  return names;
}

// Waits until anything in the document changes, `ms` at most.
function changed(ms) {
  return new Promise((resolve) => {
    const done = () => { clearTimeout(timer); observer.disconnect(); resolve(true); };
    const observer = new MutationObserver(() => requestAnimationFrame(done));
    const timer = setTimeout(done, ms);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}
