// The document's source once its DOM has been quiet for a moment, as a JSON string.
async function readSource() {
  const QUIET_MS = 100;
  const WAIT_MS = 1500;
  const CHARACTERS_MAX = 8000000;

  await new Promise((resolve) => {
    let timer = setTimeout(resolve, QUIET_MS);
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, QUIET_MS);
    });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
    setTimeout(resolve, WAIT_MS);
  });
  const html = document.documentElement ? document.documentElement.outerHTML : "";
  return JSON.stringify({
    url: location.href,
    html: html.slice(0, CHARACTERS_MAX).toWellFormed(),
    cut: html.length > CHARACTERS_MAX,
  });
}
