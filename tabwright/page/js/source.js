// The document's source as it is, as a JSON string; with `part` "body", only what its body holds.
// The fields of a page that is acted in (`inUse`) have the values that they show.
function readSource(inUse, part) {
  const CHARACTERS_MAX = 8000000;
  const FRAMES_MAX = 50;

  // Past the fields of a form and the names of images, which hide properties of it and the document.
  const propertyOf = (target, name) => Reflect.get(Object.getPrototypeOf(target), name, target);
  const frames = () => [...propertyOf(document, "querySelectorAll").call(document, "iframe")].slice(0, FRAMES_MAX);
  const shadowRoots = (root) => {
    const found = [];
    const walker = propertyOf(document, "createTreeWalker").call(document, root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      const inner = propertyOf(node, "shadowRoot");
      if (inner) found.push(inner, ...shadowRoots(inner));
    }
    return found;
  };
  // A copy of a part of a page that is acted in, in which each field has the value that it shows:
  // for who reads its forms as an attribute, for who reads its text beside it. The copy belongs to
  // a document of its own, so that nothing in it is run or loaded.
  const FIELDS = "input, textarea, select";
  const UNSEEN = new Set(["password", "hidden", "file", "button", "submit", "reset", "image", "checkbox", "radio"]);
  const withValues = (root) => {
    const copy = propertyOf(document, "implementation").createHTMLDocument("").importNode(root, true);
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
    if (!roots.length) return (inUse ? withValues(root) : root).outerHTML;
    const tag = root.cloneNode(false).outerHTML;
    const end = tag.lastIndexOf("</");
    return tag.slice(0, end) + root.getHTML({ shadowRoots: roots }) + tag.slice(end);
  };
  const shownIn = (frame) => {
    try {
      if (frame.contentDocument?.URL === "about:blank" && !frame.contentDocument.body?.hasChildNodes()) return "";
      return sourceOf(frame.contentDocument?.body).slice(0, CHARACTERS_MAX).toWellFormed();
    } catch {
      return "";
    }
  };

  // A frame of another site that is large enough to be read.
  const isApart = (frame) => {
    const { width, height } = frame.getBoundingClientRect();
    return width > 50 && height > 50 && /^https?:/.test(frame.src) && frame.checkVisibility();
  };

  const html = sourceOf(part === "body" ? propertyOf(document, "body") : propertyOf(document, "documentElement"));
  const shown = frames().map(shownIn);
  return JSON.stringify({
    url: location.href,
    charset: propertyOf(document, "characterSet"),
    html: html.slice(0, CHARACTERS_MAX).toWellFormed(),
    cut: html.length > CHARACTERS_MAX,
    frames: shown,
    apart: frames().flatMap((frame, place) => (!shown[place] && isApart(frame) ? [place] : [])),
  });
}
