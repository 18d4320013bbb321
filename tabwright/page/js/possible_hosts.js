// Whether an element may have a closed shadow root, which no script can see: a custom element, or one
// of these (DOM, section 4.9) that is shown and empty, or whose first child is in no slot. Such a child
// has no box, and no style (CSSOM, section 7.2), or in Chromium 150 the style of one with a box.
const HOSTS = new Set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "));
const SILENT = new Set(["link", "meta", "noscript", "script", "style", "template"]);
const BOXLESS = new Set(["none", "contents"]);
const localNameOf = getter(Element.prototype, "localName");
const firstElementOf = getter(Element.prototype, "firstElementChild");
const nextElementOf = getter(Element.prototype, "nextElementSibling");
const { checkVisibility } = Element.prototype;
const hasBox = (element) => checkVisibility.call(element);
const isCustom = (name) => name.includes("-");
const mayHost = (element) => {
  const name = localNameOf(element);
  if (isCustom(name)) return true;
  if (!HOSTS.has(name)) return false;
  let child = firstElementOf(element);
  while (child && SILENT.has(localNameOf(child))) child = nextElementOf(child);
  const isInPlace = child
    ? hasBox(child) || BOXLESS.has(getComputedStyle(child).display)
    : [...propertyOf(element, "childNodes")].some((node) => propertyOf(node, "nodeType") === Node.TEXT_NODE && node.data.trim());
  return !isInPlace && hasBox(element) && !isOfViewer(element);
};
// Chromium shows a JSON file with a root of its own in it, and crashes if that is copied.
const isOfViewer = (element) => propertyOf(propertyOf(element, "ownerDocument"), "contentType").includes("json");
