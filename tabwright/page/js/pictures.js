// Points of screenshots: whether the page still is what a screenshot shows at a point.

const PICTURES_MAX = 8;
const ELEMENTS_MAX = 20000;
const pictures = new Map();

// Keeps the place of every element, in CSS pixels from the top left corner of the whole page.
function rememberPicture(id) {
  const elements = matching(document, "*").slice(0, ELEMENTS_MAX).map((element) => [new WeakRef(element), placeOf(element)]);
  pictures.set(id, { x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, elements });
  if (pictures.size > PICTURES_MAX) pictures.delete(pictures.keys().next().value);
  return true;
}

function placeOf(element) {
  const box = rectOf(element);
  return { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height };
}

function isAt(place, x, y) {
  return x >= place.x && x < place.x + place.width && y >= place.y && y < place.y + place.height;
}

function hasMoved(was, is) {
  return ["x", "y", "width", "height"].some((side) => Math.abs(was[side] - is[side]) > 1);
}

// The element at a point of a screenshot: {ref, at, frame}, or the {problem} that the page has
// changed there since. `x` and `y` count from the top left corner of the viewport at that time.
function pointOfPicture(id, x, y, isWhole) {
  const taken = pictures.get(id);
  if (!taken) return { problem: "navigated" };
  if (taken.width !== innerWidth || taken.height !== innerHeight) return { problem: "resized" };
  if (isWhole) scrollTo({ top: y + taken.y - innerHeight / 2, left: x + taken.x - innerWidth / 2, behavior: "instant" });
  else if (taken.x !== scrollX || taken.y !== scrollY) return { problem: "scrolled" };
  const [left, top] = [x + taken.x, y + taken.y];
  const known = new Set();
  for (const [reference, place] of taken.elements) {
    if (!isAt(place, left, top)) continue;
    const element = reference.deref();
    if (!element || !propertyOf(element, "isConnected") || !isWhole && hasMoved(place, placeOf(element))) {
      return { problem: "moved", detail: element ? describe(element) : "" };
    }
    known.add(element);
  }
  const here = { x: left - scrollX, y: top - scrollY };
  const element = elementAt(here.x, here.y);
  if (!element) return { problem: "out of view" };
  if (!known.has(element) && element !== documentElement()) return { problem: "moved", detail: describe(element) };
  const box = boxOf(element);
  acceptNow(numberOf(element)); // the screenshot shows it
  return { ref: numberOf(element), x: here.x, y: here.y, at: [here.x - box.x, here.y - box.y], frame: /^I?FRAME$/.test(tagOf(element)) };
}

// The boxes of those of some elements that are in view and not covered.
function boxesInView(refs) {
  return refs.flatMap((ref) => {
    const { element } = found(ref);
    const target = element && clickable(element);
    if (!target || !isShown(target)) return [];
    const { x, y, width, height } = rectOf(target);
    if (x + width <= 0 || y + height <= 0 || x >= innerWidth || y >= innerHeight || !openPoint({ x, y, width, height }, element, target)) return [];
    return [{ ref, box: { x, y, width, height } }];
  });
}
