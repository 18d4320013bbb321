// The visible state of a document as a JSON string, once its DOM has been quiet for a moment or has
// kept changing for longer. `wanted` is a text, or css= and a selector, that it must show.
async function contentState(wanted) {
  const QUIET_MS = 100;
  const CHANGING_MS = 500;
  const ELEMENTS_MAX = 5000;
  const FRAMES_MAX = 50;
  const PICTURE_SIDE = 150; // smaller ones are icons and logos
  const APART_CHARACTERS = 1000; // assumed for a frame whose content cannot be read
  const BESIDE = "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo]";
  const SKELETONS = "[aria-busy=true], [class*=skeleton i], [class*=shimmer i]";
  const PAGES = `${BESIDE}, [class*=pagina i], [class*=pager i]`; // in which "…" means more numbers
  const LIVE = "[aria-live], [role=alert], [role=log], [role=status]";
  const SPINNERS = "[class*=spinner i], [role=progressbar]:not([aria-valuenow])";
  const { first, anywhere, charactersMax } = PLACEHOLDERS; // of tabwright.text.placeholders
  const BLANKS = /^(-{2,}|\?{2,})$/;
  const DOTS = /^(…|\.{3,})$/;

  const quiet = await new Promise((resolve) => {
    const end = (still) => { observer.disconnect(); clearTimeout(timer); clearTimeout(changing); resolve(still); };
    const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(end, QUIET_MS, true); });
    let timer = setTimeout(() => end(true), QUIET_MS);
    const changing = setTimeout(() => end(false), CHANGING_MS);
    observer.observe(document, { childList: true, subtree: true, characterData: true });
  });

  const textOf = (element) => (element?.innerText ?? "").trim();
  const isRendered = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && isRendered(element);
  };
  // A skeleton has its height from a style sheet, which the tab may not load. So has a spinner, but
  // many pages keep one that the sheet hides.
  const isBusy = () =>
    [...document.querySelectorAll(SKELETONS)].some(isRendered) || [...document.querySelectorAll(SPINNERS)].some(isSeen);
  // Until its document arrives, a frame of any site has an empty document, which we can read.
  const isComing = ({ src, contentDocument: shown }) =>
    src && shown?.URL === "about:blank" && !shown.body?.hasChildNodes();
  const isAwaited = (frame) =>
    frame.loading !== "lazy" && URL.parse(frame.src)?.origin === location.origin &&
    (isComing(frame) || frame.contentDocument?.readyState === "loading");
  const saysLoading = (text) => {
    const words = text.toLowerCase().replace(/^[^\p{L}]+/u, "");
    if (text.length > charactersMax) return false;
    return first.some((one) => words.startsWith(one)) || anywhere.some((one) => words.includes(one));
  };
  // A text for screen readers stays on the page after the event that it announces. A region whose
  // children are positioned has no height either, but does not clip them.
  const isAnnounced = (element) => {
    const region = element.closest(LIVE);
    if (!region) return false;
    const { width, height } = region.getBoundingClientRect();
    const { overflow, clip, clipPath } = getComputedStyle(region);
    const isClipped = overflow !== "visible" || clip !== "auto" || clipPath !== "none";
    const { right, bottom } = element.getBoundingClientRect();
    return (isClipped && Math.min(width, height) <= 1) || right + scrollX <= 0 || bottom + scrollY <= 0;
  };
  // A short text, not part of another, that is a placeholder for text to come.
  const isPlaceholder = (element) => {
    if (element.childElementCount || element.closest("td, th, code, pre, button, a")) return false;
    const text = element.textContent.trim();
    const isBlank = BLANKS.test(text) || (DOTS.test(text) && !element.closest(PAGES));
    return (isBlank || saysLoading(text)) && isSeen(element) && !isAnnounced(element);
  };
  const shows = () => {
    if (!wanted) return true;
    if (!wanted.startsWith("css=")) return textOf(document.body).toLowerCase().includes(wanted.toLowerCase());
    return document.querySelector(wanted.slice(4)) !== null;
  };

  // A frame of another site that is large enough to have content.
  const isApart = (frame) => /^https?:/.test(frame.src) && !frame.contentDocument && isSeen(frame) && frame.getBoundingClientRect().height > 50;
  const inFrames = () => frames.reduce((sum, one) => sum + (isApart(one) ? APART_CHARACTERS : textOf(one.contentDocument?.body).length), 0);

  const isPicture = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return Math.min(width, height) >= PICTURE_SIDE && isRendered(element);
  };

  // Until a script fills it, the only main element is empty, regardless of the content around it.
  const isBlank = (element) => !textOf(element) && !element.querySelector("iframe, img, svg, canvas, video, input, button");
  const mains = document.querySelectorAll("main, [role=main]");
  const isMainToCome = mains.length === 1 && isBlank(mains[0]);

  const frames = [...document.querySelectorAll("iframe")].slice(0, FRAMES_MAX);
  const whole = textOf(document.body);
  const beside = [...document.querySelectorAll(BESIDE)].filter((one) => !one.closest("main, article") && !one.parentElement?.closest(BESIDE));
  const shown = whole.length - beside.reduce((sum, one) => sum + textOf(one).length, 0);
  const leaves = [...document.querySelectorAll("div, span, p, h1, h2, h3, strong, b, output, section, main")].slice(0, ELEMENTS_MAX);
  return JSON.stringify({
    quiet,
    shown: (isMainToCome ? 0 : shown > 0 ? shown : whole.length) + inFrames(),
    waits: saysLoading(whole) || isBusy() || leaves.some(isPlaceholder),
    frames: frames.some(isAwaited),
    found: shows(),
    pictures: [...document.querySelectorAll("canvas, embed, iframe, img, object, svg, video")].some(isPicture),
  });
}
