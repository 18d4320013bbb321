// Scrolls through the page and the largest list in it, screen by screen, until their ends stay the
// ends: what loads when it comes into view has then begun to load. Ends at the top, as a reader would
// begin. Gathers the rows of lists that keep only those in view. Returns "whole", "more" if it did not
// get to the end, or "recycled" if a list keeps only the rows in view, and some passed unseen.
async function scrollThrough() {
  const PAUSE_MS = 150;
  const END_MS = 700;
  const ALL_MS = 8000;
  const ROWS_MAX = 5000;
  const BACK_VIEWS = 4; // how far back a row may have been in view before
  const began = performance.now();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /* scrollers */

  // The rows of a list in the order in which they are seen, which may not be that of the document.
  const rowsOf = (list) =>
    [...list.children]
      .filter((row) => row.textContent.trim() && row.checkVisibility())
      .map((row) => ({ row, text: row.textContent, top: row.getBoundingClientRect().top }))
      .sort((one, other) => one.top - other.top);
  const inert = new DOMParser().parseFromString("", "text/html");
  const copyOf = (row) => {
    const copy = inert.importNode(row, true);
    const copies = copy.querySelectorAll("*");
    [...row.querySelectorAll("*")].forEach((element, place) => {
      if (!element.checkVisibility({ visibilityProperty: true })) copies[place].setAttribute("hidden", "");
    });
    return copy;
  };
  // Rows that are in view twice tell where the next ones belong.
  class Gathering {
    texts = [];
    copies = [];
    isWhole = true;

    constructor(list, scroller) {
      this.list = list;
      this.scroller = scroller;
    }

    inView() {
      const view = this.scroller === page ? { top: 0, bottom: innerHeight } : this.scroller.getBoundingClientRect();
      return rowsOf(this.list).filter(({ row, top }) => top < view.bottom && row.getBoundingClientRect().bottom > view.top);
    }

    take() {
      const rows = this.inView();
      const { texts, copies } = this;
      if (!rows.length) return;
      const differs = (start) => rows.some(({ text }, place) => start + place < texts.length && text !== texts[start + place]);
      let start = Math.max(0, texts.length - BACK_VIEWS * rows.length);
      while (start < texts.length && differs(start)) start += 1;
      const isNext = start < texts.length || !texts.length;
      const next = isNext ? rows.slice(texts.length - start) : rows.filter(({ text }) => !texts.includes(text));
      if (!isNext || texts.length + next.length > ROWS_MAX) this.isWhole = false;
      for (const { row, text } of next.slice(0, ROWS_MAX - texts.length)) {
        texts.push(text);
        copies.push(copyOf(row));
      }
    }
  }

  const gatherings = [];
  const through = async (scroller) => {
    const isAtEnd = () => scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2;
    const list = longestList(scroller, isRead);
    const gathering = list && new Gathering(list, scroller);
    gathering?.take();
    const atFirst = textsOf(scroller);
    const isLeftOut = (text) => list?.contains(text) || !isRead(text.parentElement);
    const besideAtFirst = textsOf(scroller, isLeftOut);
    let height = 0;
    let ended = false;
    while (performance.now() - began < ALL_MS) {
      scroller.scrollBy({ top: scroller.clientHeight * 0.9, behavior: "instant" });
      await pause(PAUSE_MS);
      gathering?.take();
      if (!isAtEnd()) continue;
      ended = scroller.scrollHeight <= height;
      if (ended) break;
      height = scroller.scrollHeight;
      await pause(END_MS);
      scroller.scrollBy({ top: -2 * scroller.clientHeight, behavior: "instant" }); // lists also load on coming back
      await pause(PAUSE_MS);
    }
    const isRecycling = isRecycled(atFirst, textsOf(scroller));
    const isGathered = gathering?.isWhole && !isRecycled(besideAtFirst, textsOf(scroller, isLeftOut));
    scroller.scrollTo({ top: 0, behavior: "instant" });
    if (isRecycling || isGathered) gatherings.push(gathering);
    if (isRecycling && !isGathered) return "recycled";
    return ended ? "whole" : "more";
  };

  const ends = [await through(page)];
  const list = largestScroller();
  if (list) ends.push(await through(list));
  await pause(PAUSE_MS); // a list shows its first rows again
  for (const { list, copies } of gatherings.filter(Boolean)) {
    if (copies.length > rowsOf(list).length) gatheredRows.set(list, copies);
  }
  return ["recycled", "more"].find((end) => ends.includes(end)) ?? "whole";
}
