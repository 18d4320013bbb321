// Scrolls through the page, screen by screen, until its end stays the end: what loads when it comes
// into view has then begun to load. Ends at the top, as a reader would begin.
async function scrollThrough() {
  const PAUSE_MS = 150;
  const END_MS = 700;
  const ALL_MS = 8000;
  const began = performance.now();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const page = document.scrollingElement ?? document.documentElement;
  const isAtEnd = () => page.scrollTop + page.clientHeight >= page.scrollHeight - 2;
  let height = 0;
  while (performance.now() - began < ALL_MS) {
    page.scrollBy({ top: page.clientHeight * 0.9, behavior: "instant" });
    await pause(PAUSE_MS);
    if (!isAtEnd()) continue;
    if (page.scrollHeight > height) {
      height = page.scrollHeight;
      await pause(END_MS);
      page.scrollBy({ top: -2 * page.clientHeight, behavior: "instant" }); // lists also load on coming back
      await pause(PAUSE_MS);
    } else {
      break;
    }
  }
  const whole = isAtEnd();
  page.scrollTo({ top: 0, behavior: "instant" });
  return String(whole);
}
