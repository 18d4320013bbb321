// Finds what scrolls: the page, or an element of it that is large enough to contain a list.
const SCROLLER_SIDE_MIN = 150;
const page = document.scrollingElement ?? document.documentElement;
const isScroller = (element) => {
  const { clientHeight, clientWidth, scrollHeight } = element;
  if (element === page || scrollHeight < 1.5 * clientHeight || Math.min(clientHeight, clientWidth) < SCROLLER_SIDE_MIN) return false;
  return /auto|scroll/.test(getComputedStyle(element).overflowY) && element.checkVisibility();
};
const areaOf = (element) => element.clientHeight * element.clientWidth;
const largestScroller = () =>
  [...document.querySelectorAll("body *")].filter(isScroller).sort((one, other) => areaOf(other) - areaOf(one))[0];
const SILENT = "script, style, template";
// The texts in an element, also those that the browser does not render while they are out of view.
const textsOf = (element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement?.matches(SILENT)) texts.push(walker.currentNode.data.trim());
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
