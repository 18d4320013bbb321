// Scrolls through the page and the largest list in it, screen by screen, until their ends stay the
// ends: what loads when it comes into view has then begun to load. Ends at the top, as a reader would
// begin. Returns "whole", "more" if it did not get to the end, or "recycled" if a list keeps only the
// rows in view.
async function scrollThrough() {
  const PAUSE_MS = 150;
  const END_MS = 700;
  const ALL_MS = 8000;
  const LIST_SIDE_MIN = 150;
  const LINES_GONE_MIN = 8;
  const SHARE_GONE_MIN = 0.3;
  const began = performance.now();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const page = document.scrollingElement ?? document.documentElement;

  const isList = (element) => {
    const { clientHeight, clientWidth, scrollHeight } = element;
    if (element === page || scrollHeight < 1.5 * clientHeight || Math.min(clientHeight, clientWidth) < LIST_SIDE_MIN) return false;
    return /auto|scroll/.test(getComputedStyle(element).overflowY) && element.checkVisibility();
  };
  const areaOf = (element) => element.clientHeight * element.clientWidth;
  const linesOf = (element) => new Set(element.innerText.split("\n").map((line) => line.trim()).filter(Boolean));

  const through = async (scroller) => {
    const isAtEnd = () => scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2;
    const atFirst = linesOf(scroller);
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
    const atLast = linesOf(scroller);
    const gone = [...atFirst].filter((line) => !atLast.has(line)).length;
    scroller.scrollTo({ top: 0, behavior: "instant" });
    if (gone >= LINES_GONE_MIN && gone >= SHARE_GONE_MIN * atFirst.size) return "recycled";
    return ended ? "whole" : "more";
  };

  const ends = [await through(page)];
  const [list] = [...document.querySelectorAll("body *")].filter(isList).sort((one, other) => areaOf(other) - areaOf(one));
  if (list) ends.push(await through(list));
  await pause(PAUSE_MS); // a list shows its first rows again
  return ["recycled", "more"].find((end) => ends.includes(end)) ?? "whole";
}
