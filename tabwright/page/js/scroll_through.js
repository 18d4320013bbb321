// Scrolls through the page and the largest elements in it that scroll, screen by screen, until none
// grows any more, for at most so many milliseconds: content that loads when it comes into view has
// then begun to load. Begins at the start of each, and restores its scroll position at the end.
// Returns "whole", "more" if it did not reach the end, "gathered" if lists keep only the rows in
// view and all their rows were gathered for `readSource`, or "recycled" if some of these rows are
// not certain.
async function scrollThrough(limitMs) {
  const PAUSE_MS = 150;
  const END_MS = 700;
  const ALL_MS = 8000;
  const GATHER_MS = 10000;
  const TOTAL_MS = Math.min(20000, Number(limitMs));
  const SCROLLERS_MAX = 4;
  const began = performance.now();
  let endsAt = began + Math.min(ALL_MS, TOTAL_MS);
  const leftMs = () => endsAt - performance.now();
  const isLate = () => leftMs() <= 0;
  const gathered = (globalThis[Symbol.for("tabwright.gathered")] = new Map());
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /* scrollers */
  /* row gathering */

  const scrollingOf = (scroller) => {
    const [, height] = clientSizeOf(scroller);
    const place = () => propertyOf(scroller, "scrollTop");
    const scrollTo = (top) => invoke(scroller, "scrollTo", { top, behavior: "instant" });
    const scrollBy = (top) => invoke(scroller, "scrollBy", { top, behavior: "instant" });
    const toStart = () => scrollBy(-scrollHeightOf(scroller)); // in a reversed box, it is negative
    const toEnd = () => scrollBy(scrollHeightOf(scroller));
    let start = 0;
    const begin = () => {
      toStart();
      start = place();
    };
    const isAtStart = () => place() <= start + 1;
    const isAtEnd = () => place() - start + height >= scrollHeightOf(scroller) - 2;
    const view = () => {
      const top = scroller === page ? 0 : borderBoxOf(scroller).top + propertyOf(scroller, "clientTop");
      return { top, bottom: top + height };
    };
    const origin = () => view().top - place(); // the top of the scrolled content
    const opened = place();
    return { scroller, height, opened, start: () => start, place, scrollTo, scrollBy, begin, toStart, isAtStart, toEnd, isAtEnd, view, origin };
  };

  const through = async (scrolling, watch, isBeside) => {
    const { scroller, height, opened, place, scrollBy, begin, toStart, toEnd, isAtEnd } = scrolling;
    if (isBeside) { // most of these do not change
      toEnd();
      await pause(PAUSE_MS);
      if (!watch.hasChanged()) return "whole";
    }
    begin();
    for (let size = -1; place() < opened && size !== scrollHeightOf(scroller) && !isLate(); begin()) {
      size = scrollHeightOf(scroller);
      await pause(END_MS); // a chat loads more at its start
    }
    const atFirst = textsOf(scroller);
    let length = 0;
    let ended = false;
    let isLosing = false;
    while (!isLate()) {
      scrollBy(STEP * height);
      await (isLosing ? watch.settled() : pause(PAUSE_MS));
      isLosing = watch.isLosing();
      if (!isAtEnd()) continue;
      ended = scrollHeightOf(scroller) <= length;
      if (ended) break;
      length = scrollHeightOf(scroller);
      await pause(END_MS);
      scrollBy(-2 * height); // lists also load on coming back
      await pause(PAUSE_MS);
    }
    if (!ended && performance.now() + END_MS < began + TOTAL_MS) { // it may have come to the end just now
      scrollBy(2 * height);
      length = isAtEnd() ? scrollHeightOf(scroller) : 0;
      await pause(length && END_MS);
      ended = scrollHeightOf(scroller) <= length;
    }
    const isShort = isRecycled(atFirst, textsOf(scroller));
    toStart();
    await watch.settled();
    const lists = watch.virtualLists();
    if (ended && lists.length) {
      endsAt = Math.min(Math.max(endsAt, performance.now() + GATHER_MS), began + TOTAL_MS);
      const rows = await gatherRows(lists, scrolling, watch.settled);
      rows?.forEach((all, list) => gathered.set(list, all));
      if (rows) return "gathered";
      toStart();
    }
    if ((isShort || lists.length) && !(await changesByItself(scroller, atFirst))) return "recycled";
    return ended ? "whole" : "more";
  };

  const visit = async (scroller, isBeside) => {
    const scrolling = scrollingOf(scroller);
    const watch = watchRows(scrolling);
    const end = await through(scrolling, watch, isBeside);
    watch.stop();
    scrolling.scrollTo(scrolling.opened);
    return end;
  };

  const ends = [await visit(page)];
  for (const [place, scroller] of largestScrollers(SCROLLERS_MAX).entries()) ends.push(await visit(scroller, place > 0));
  await pause(PAUSE_MS); // a list shows its first rows again
  return ["recycled", "more", "gathered"].find((end) => ends.includes(end)) ?? "whole";
}
