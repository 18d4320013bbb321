// What scrolls: the page, or an element of it that is large enough to hold a list.
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
const textsOf = (element, isLeftOut = () => false) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (!text.parentElement?.matches(SILENT) && !isLeftOut(text)) texts.push(text.data.trim());
  }
  return texts.filter(Boolean);
};
// Whether so many of the texts are gone that only what is in view is kept.
const isRecycled = (before, after) => {
  const TEXTS_GONE_MIN = 8;
  const SHARE_GONE_MIN = 0.3;
  const kept = new Set(after);
  const texts = [...new Set(before)];
  const gone = texts.filter((text) => !kept.has(text)).length;
  return gone >= TEXTS_GONE_MIN && gone >= SHARE_GONE_MIN * texts.length;
};

// What may be a list: an element with many rows that are alike, and not beside the content.
const ROWS_MIN = 8;
const PARAGRAPH_CHARACTERS = 200; // longer ones are of an article
const TEXT = "br, dd, dt, h1, h2, h3, h4, h5, h6, input, label, option, pre, script, span, style, svg *";
const BESIDE = "nav, header, footer, aside, form, [role=navigation], [role=banner], [role=contentinfo]";
const isList = (element) => {
  if (element.childElementCount < ROWS_MIN || element.closest(BESIDE)) return false;
  const children = [...element.children];
  const row = children[children.length >> 1];
  if (row.matches(TEXT) || !row.checkVisibility()) return false;
  if (children.filter((one) => one.localName === row.localName).length < ROWS_MIN) return false;
  return row.localName !== "p" || element.textContent.length / children.length < PARAGRAPH_CHARACTERS;
};
// Numbers of lines, for example, are left out of what is read.
const isRead = (element) => !element?.closest("[aria-hidden=true]");
const heightOf = (element) => element.getBoundingClientRect().height;
const longestList = (outer, suits = () => true) =>
  [outer, ...outer.querySelectorAll("*")].filter((one) => suits(one) && isList(one)).sort((one, other) => heightOf(other) - heightOf(one))[0];

// Copies of all rows of lists that keep only those in view, as they passed: for who reads the document.
const gatheredRows = (globalThis.tabwrightRows ??= new Map());
