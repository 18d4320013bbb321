// The document's source once its DOM has been quiet for a moment, as a JSON string. A document that
// shows next to nothing may be waiting for its data, and one with frames of its own site for these,
// so they have all the time that there is; one that is known to be at rest has none.
async function readSource(atRest) {
  const QUIET_MS = 100;
  const WAIT_MS = 1500;
  const CHARACTERS_MIN = 100;
  const CHARACTERS_MAX = 8000000;
  const FRAMES_MAX = 50;

  const frames = () => [...document.querySelectorAll("iframe")].slice(0, FRAMES_MAX);
  // Until its document comes, a frame of any site holds an empty one, which is ours to look into.
  const isComing = ({ src, contentDocument: shown }) =>
    src && shown?.URL === "about:blank" && !shown.body?.hasChildNodes();
  const isAwaited = (frame) =>
    frame.loading !== "lazy" && URL.parse(frame.src)?.origin === location.origin &&
    (isComing(frame) || frame.contentDocument?.readyState === "loading");
  const saysSomething = () => (document.body?.innerText ?? "").trim().length >= CHARACTERS_MIN;
  const isWhole = () => saysSomething() && !frames().some(isAwaited);
  const quiet = () => new Promise((resolve) => {
    let timer;
    const look = () => {
      clearTimeout(timer);
      timer = setTimeout(() => (isWhole() ? resolve() : look()), QUIET_MS);
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true, characterData: true });
    setTimeout(resolve, WAIT_MS);
    look();
  });
  if (!atRest) await quiet();

  const shadowRoots = (root) => {
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (node.shadowRoot) found.push(node.shadowRoot, ...shadowRoots(node.shadowRoot));
    }
    return found;
  };
  // A copy of a part of a page that is acted in, in which each field has the value that it shows:
  // for who reads its forms as an attribute, for who reads its text beside it. The copy belongs to
  // a document of its own, so that nothing in it is run or loaded.
  const FIELDS = "input, textarea, select";
  const UNSEEN = new Set(["password", "hidden", "file", "button", "submit", "reset", "image", "checkbox", "radio"]);
  const withValues = (root) => {
    const copy = document.implementation.createHTMLDocument("").importNode(root, true);
    const copies = [...copy.querySelectorAll(FIELDS)];
    [...root.querySelectorAll(FIELDS)].forEach((field, place) => giveValue(field, copies[place]));
    return copy;
  };
  const giveValue = (field, copy) => {
    if (field.tagName === "SELECT") {
      [...field.options].forEach((option, place) => copy.options[place].toggleAttribute("selected", option.selected));
    } else if (field.tagName === "TEXTAREA") {
      copy.textContent = field.value;
    } else if (field.type === "checkbox" || field.type === "radio") {
      copy.toggleAttribute("checked", field.checked);
    } else if (!UNSEEN.has(field.type) && field.value !== field.defaultValue) {
      copy.setAttribute("value", field.value);
    }
    const text = field.tagName === "SELECT" ? [...field.selectedOptions].map((one) => one.label).join(", ") : field.value;
    if (!text || UNSEEN.has(field.type) || !field.checkVisibility({ visibilityProperty: true })) return;
    const shown = copy.ownerDocument.createElement(text.includes("\n") ? "pre" : "samp");
    shown.textContent = text;
    (copy.closest("label") ?? copy).after(" ", shown);
  };
  const sourceOf = (root) => {
    if (!root) return "";
    const roots = shadowRoots(root);
    if (!roots.length) return (atRest ? withValues(root) : root).outerHTML;
    const tag = root.cloneNode(false).outerHTML;
    const end = tag.lastIndexOf("</");
    return tag.slice(0, end) + root.getHTML({ shadowRoots: roots }) + tag.slice(end);
  };
  const shownIn = (frame) => {
    if (isComing(frame)) return "";
    try {
      return sourceOf(frame.contentDocument?.body).slice(0, CHARACTERS_MAX).toWellFormed();
    } catch {
      return "";
    }
  };

  const html = sourceOf(document.documentElement);
  return JSON.stringify({
    url: location.href,
    charset: document.characterSet,
    html: html.slice(0, CHARACTERS_MAX).toWellFormed(),
    cut: html.length > CHARACTERS_MAX,
    frames: frames().map(shownIn),
  });
}
