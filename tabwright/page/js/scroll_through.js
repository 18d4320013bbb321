// Scrolls through the page and the largest list in it, screen by screen, until neither grows any
// more: content that loads when it comes into view has then begun to load. Scrolls back to the top
// at the end. Returns "whole", "more" if it did not reach the end, or "recycled" if a list keeps
// only the rows in view.
async function scrollThrough() {
  const PAUSE_MS = 150;
  const END_MS = 700;
  const ALL_MS = 8000;
  const began = performance.now();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /* scrollers */

  const through = async (scroller) => {
    const isAtEnd = () => scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2;
    const atFirst = textsOf(scroller);
    let height = 0;
    let ended = false;
    while (performance.now() - began < ALL_MS) {
      scroller.scrollBy({ top: scroller.clientHeight * 0.9, behavior: "instant" });
      await pause(PAUSE_MS);
      if (!isAtEnd()) continue;
      ended = scroller.scrollHeight <= height;
      if (ended) break;
      height = scroller.scrollHeight;
      await pause(END_MS);
      scroller.scrollBy({ top: -2 * scroller.clientHeight, behavior: "instant" }); // lists also load on coming back
      await pause(PAUSE_MS);
    }
    const atLast = textsOf(scroller);
    scroller.scrollTo({ top: 0, behavior: "instant" });
    if (isRecycled(atFirst, atLast)) return "recycled";
    return ended ? "whole" : "more";
  };

  const ends = [await through(page)];
  const list = largestScroller();
  if (list) ends.push(await through(list));
  await pause(PAUSE_MS); // a list shows its first rows again
  return ["recycled", "more"].find((end) => ends.includes(end)) ?? "whole";
}
