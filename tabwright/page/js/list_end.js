// Finds out, in steps, whether the longest list of a page loads more when it is scrolled to its end.
// "begin" scrolls there, and returns the length of the page's text before; or "recycled", if the list
// keeps only the rows in view; or "whole", if the page has no list that may load more. "measure"
// returns the length of the text now. "end" scrolls back.
async function listEnd(step) {
  const ROWS_MIN = 8;
  const PARAGRAPH_CHARACTERS = 200; // longer ones are of an article
  const TEXT = "br, dd, dt, h1, h2, h3, h4, h5, h6, input, label, option, pre, script, span, style, svg *";
  const BESIDE = "nav, header, footer, aside, form, [role=navigation], [role=banner], [role=contentinfo]";
  const PAGES = "link[rel=next], a[rel~=next], [aria-label*=pagina i], [class*=pagina i], [class*=pager i]";
  const MEDIA = "canvas, embed, iframe, img, object, svg, video";
  const HOLDERS_MAX = 3;
  const AT_END_MS = 50;
  const AT_BOTTOM_MS = 100;
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /* scrollers */

  // The scrolled element and its position before, kept until the last step.
  const scrolled = (globalThis.tabwrightScrolled ??= new Map());
  // The elements around another one, as they are rendered: through slots and shadow roots.
  const around = (element) => {
    const outer = new Set();
    for (let node = element; node && !outer.has(node); node = node.assignedSlot ?? node.parentNode ?? node.host) outer.add(node);
    return [...outer].filter((node) => node instanceof Element);
  };

  const lengthOf = () =>
    [...document.body.querySelectorAll(SILENT)].reduce((sum, one) => sum - one.textContent.length, document.body.textContent.length);
  const isList = (element) => {
    if (element.childElementCount < ROWS_MIN || element.closest(BESIDE)) return false;
    const children = [...element.children];
    const row = children[children.length >> 1];
    if (row.matches(TEXT) || !row.checkVisibility()) return false;
    if (children.filter((one) => one.localName === row.localName).length < ROWS_MIN) return false;
    return row.localName !== "p" || element.textContent.length / children.length < PARAGRAPH_CHARACTERS;
  };
  const heightOf = (element) => element.getBoundingClientRect().height;
  const longestList = () =>
    [...document.querySelectorAll("body, body *")].filter(isList).sort((one, other) => heightOf(other) - heightOf(one))[0];

  // Whether space is reserved for rows that are not in the DOM: on the list, on an element that
  // contains only the list, or on an empty element at its end. If the style sheet that makes the
  // list scroll is not loaded, there is no other sign of these rows.
  const hasSpaceForMore = (list) => {
    const boxes = [...list.children].filter((row) => row.textContent.trim()).map((row) => row.getBoundingClientRect());
    const bottom = boxes.reduce((lowest, box) => Math.max(lowest, box.bottom), -Infinity);
    const least = Math.max(innerHeight, (ROWS_MIN * boxes.reduce((sum, box) => sum + box.height, 0)) / boxes.length);
    const isLarge = (size) => size?.endsWith("px") && Number.parseFloat(size) >= least;
    const isSpacer = (one) => one?.matches(`:not(${MEDIA}, :has(${MEDIA}))`) && !one.textContent.trim() && isLarge(one.style?.height);
    const holders = [list];
    while (holders.length < HOLDERS_MAX && holders.at(-1).parentElement?.childElementCount === 1) holders.push(holders.at(-1).parentElement);
    const hasSpace = (one) =>
      (isLarge(one.style?.height) || isLarge(one.style?.paddingBottom) || (one === list && isLarge(one.style?.minHeight))) &&
      one.getBoundingClientRect().bottom - bottom >= least;
    return holders.some(hasSpace) || [list.lastElementChild, list.nextElementSibling].some(isSpacer);
  };

  if (step === "measure") return String(lengthOf());
  const scrollBack = () => scrolled.forEach((top, one) => one.scrollTo({ top, behavior: "instant" }));
  if (step === "end") {
    scrollBack();
    scrolled.clear();
    return "";
  }
  const list = longestList();
  if (!list || document.querySelector(PAGES)) return "whole";
  if (hasSpaceForMore(list)) return "recycled";
  const scrollers = [page, largestScroller()].filter(Boolean);
  const length = lengthOf();
  const before = textsOf(list);
  scrolled.clear();
  for (const one of [...scrollers, ...around(list.lastElementChild)]) scrolled.set(one, one.scrollTop);
  list.lastElementChild.scrollIntoView({ block: "center", behavior: "instant" });
  await pause(AT_END_MS);
  for (const one of scrollers) one.scrollTo({ top: one.scrollHeight, behavior: "instant" });
  await pause(AT_BOTTOM_MS);
  if (!isRecycled(before, textsOf(list))) return String(length);
  scrollBack();
  return "recycled";
}
