// Finds what scrolls: the page, or an element of it that is large enough to contain a list.
const SCROLLER_SIDE_MIN = 150;
const page = document.scrollingElement ?? document.documentElement;
const clientSizeOf = (element) => [propertyOf(element, "clientWidth"), propertyOf(element, "clientHeight")];
const scrollHeightOf = getter(Element.prototype, "scrollHeight");
const isScroller = (element) => {
  const [width, height] = clientSizeOf(element);
  if (element === page || scrollHeightOf(element) < 1.5 * height || Math.min(width, height) < SCROLLER_SIDE_MIN) return false;
  return /auto|scroll/.test(getComputedStyle(element).overflowY) && isVisible(element);
};
const areaOf = (element) => clientSizeOf(element).reduce((one, other) => one * other);
const largestScrollers = (most) =>
  [...allIn(document, "body *")].filter(isScroller).sort((one, other) => areaOf(other) - areaOf(one)).slice(0, most);
const SILENT = "script, style, template";
// The texts in an element, also those that the browser does not render while they are out of view.
const textsOf = (element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const parent = parentNodeOf(walker.currentNode);
    if (!(parent instanceof Element && fits(parent, SILENT))) texts.push(walker.currentNode.data.trim());
  }
  return texts.filter(Boolean);
};
// Whether so many texts have disappeared that the list must keep only the rows in view.
const isRecycled = (before, after) => {
  const TEXTS_GONE_MIN = 8;
  const SHARE_GONE_MIN = 0.3;
  const kept = new Set(after);
  const texts = [...new Set(before)];
  const gone = texts.filter((text) => !kept.has(text)).length;
  return gone >= TEXTS_GONE_MIN && gone >= SHARE_GONE_MIN * texts.length;
};
// Whether an element that was scrolled back has other texts than `before`, and changes even so: the
// rows of a ticker do not come back, unlike those of a list that keeps only the rows in view.
const changesByItself = async (element, before) => {
  const BACK_MS = 300;
  await pause(BACK_MS);
  const back = textsOf(element);
  await pause(BACK_MS);
  const now = textsOf(element);
  return isRecycled(before, now) && isRecycled(back, now);
};
