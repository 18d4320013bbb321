// Finds out, in steps, whether the longest list of a page loads more when it is scrolled to its end,
// or a chat to its start. "begin" scrolls there, and returns the length of the page's text before;
// or "recycled", if the list keeps only the rows in view; or "whole", if the page has no list that
// may load more. "measure" returns the length of the text now. "end" scrolls back.
async function listEnd(step) {
  const ROWS_MIN = 8;
  const SPACED_ROWS_MIN = 3; // where space is reserved for more
  const PARAGRAPH_CHARACTERS = 200; // longer ones are of an article
  const TEXT = "br, dd, dt, h1, h2, h3, h4, h5, h6, input, label, option, pre, script, span, style, svg *";
  const BESIDE = "nav, header, footer, aside, form, [role=navigation], [role=banner], [role=contentinfo]";
  const PAGES = "link[rel=next], a[rel~=next], [aria-label*=pagina i], [class*=pagina i], [class*=pager i]";
  const MEDIA = "canvas, embed, iframe, img, object, svg, video";
  const HAS_MEDIA = `:is(${MEDIA}, :has(${MEDIA}))`;
  const HOLDERS_MAX = 3;
  const AT_END_MS = 50;
  const AT_BOTTOM_MS = 100;
  const TICKER_HEIGHT = 150; // a list that is clipped to less is not scrolled by a reader
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /* scrollers */

  // The scrolled element and its position before, kept until the last step.
  const scrolled = (globalThis[Symbol.for("tabwright.scrolled")] ??= new Map());
  // The elements around another one, as they are rendered: through slots and shadow roots.
  const ancestorsOf = (element) => {
    const outer = new Set();
    for (let node = element; node && !outer.has(node); node = slotOf(node) ?? parentNodeOf(node) ?? node.host) outer.add(node);
    return [...outer].filter((node) => node instanceof Element);
  };

  const lengthOf = () =>
    [...allIn(body(), SILENT)].reduce((sum, one) => sum - textContentOf(one).length, textContentOf(body()).length);
  const isList = (element, rowsMin) => {
    const children = [...elementsOf(element)];
    if (children.length < rowsMin || around(element, BESIDE)) return false;
    const row = children[children.length >> 1];
    if (fits(row, TEXT) || !isVisible(row)) return false;
    if (children.filter((one) => tagOf(one) === tagOf(row)).length < rowsMin) return false;
    return tagOf(row) !== "P" || textContentOf(element).length / children.length < PARAGRAPH_CHARACTERS;
  };
  const isInTicker = (list) =>
    ancestorsOf(list).some((one) => tagOf(one) === "MARQUEE" || (/hidden|clip/.test(getComputedStyle(one).overflowY) &&
      one !== body() && one !== page && borderBoxOf(one).height < Math.min(TICKER_HEIGHT, scrollHeightOf(one))));
  const heightOf = (element) => borderBoxOf(element).height;
  const listsOf = (rowsMin) => [...allIn(document, "body, body *")].filter((one) => isList(one, rowsMin));
  const longestList = () => listsOf(ROWS_MIN).sort((one, other) => heightOf(other) - heightOf(one)).find((list) => !isInTicker(list));

  // Whether space is reserved for rows that are not in the DOM: on the list, on an element that
  // contains only the list, or on an empty element at its end. If the style sheet that makes the
  // list scroll is not loaded, there is no other sign of these rows.
  const hasSpaceForMore = (list) => {
    const holders = [list];
    while (holders.length < HOLDERS_MAX && holders.at(-1).parentElement?.childElementCount === 1) holders.push(holders.at(-1).parentElement);
    const spacers = [list.lastElementChild, list.nextElementSibling].filter(Boolean);
    if (![...holders, ...spacers].some((one) => propertyOf(one, "style")?.length)) return false;
    const shown = [...elementsOf(list)].filter((row) => textContentOf(row).trim() || fits(row, HAS_MEDIA));
    const boxes = shown.map(borderBoxOf);
    const bottom = boxes.reduce((lowest, box) => Math.max(lowest, box.bottom), -Infinity);
    const least = Math.max(innerHeight, (ROWS_MIN * boxes.reduce((sum, box) => sum + box.height, 0)) / boxes.length);
    const isLarge = (size) => size?.endsWith("px") && Number.parseFloat(size) >= least;
    const hasSpace = (one) => {
      const { height, paddingBottom, minHeight } = propertyOf(one, "style") ?? {};
      const isReserved = isLarge(height) || isLarge(paddingBottom) || (one === list && isLarge(minHeight));
      return isReserved && borderBoxOf(one).bottom - bottom >= least;
    };
    const isSpacer = (one) => !fits(one, HAS_MEDIA) && !textContentOf(one).trim() && isLarge(propertyOf(one, "style")?.height);
    return holders.some(hasSpace) || spacers.some(isSpacer);
  };

  if (step === "measure") return String(lengthOf());
  const scrollTo = (one, top) => invoke(one, "scrollTo", { top, behavior: "instant" });
  const scrollBack = () => scrolled.forEach((top, one) => scrollTo(one, top));
  if (step === "end") {
    scrollBack();
    scrolled.clear();
    return "";
  }
  if (document.querySelector(PAGES)) return "whole";
  if (listsOf(SPACED_ROWS_MIN).some((one) => hasSpaceForMore(one) && !isInTicker(one))) return "recycled";
  const list = longestList();
  if (!list) return "whole";
  const scrollers = [page, ...largestScrollers(1)];
  // A chat is at its end, and loads more at its start.
  const isBelowStart = (one) => propertyOf(one, "scrollTop") > 0 || getComputedStyle(one).flexDirection === "column-reverse";
  const below = scrollers.filter(isBelowStart);
  const length = lengthOf();
  const before = textsOf(list);
  const hasLostRows = () => isRecycled(before, textsOf(list));
  scrolled.clear();
  for (const one of [...scrollers, ...ancestorsOf(list.lastElementChild)]) scrolled.set(one, propertyOf(one, "scrollTop"));
  invoke(list.lastElementChild, "scrollIntoView", { block: "center", behavior: "instant" });
  await pause(AT_END_MS);
  for (const one of scrollers) scrollTo(one, scrollHeightOf(one));
  await pause(AT_BOTTOM_MS);
  if (!hasLostRows() && below.length) {
    for (const one of below) scrollTo(one, -scrollHeightOf(one));
    await pause(AT_BOTTOM_MS);
  }
  if (!hasLostRows()) return String(length);
  scrollBack();
  return (await changesByItself(list, before)) ? String(length) : "recycled";
}
