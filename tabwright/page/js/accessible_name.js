// Accessible names, as Chromium computes them (accname 1.2, HTML-AAM, SVG-AAM): from references, from
// labels and attributes, and for some roles from the content, with what style sheets add to it.

const NAME_MAX = 120;

// Maximum number of nodes that contribute to one name.
const NAME_NODES_MAX = 100;

const NAMED_BY_CONTENT = new Set([
  "button", "link", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem",
  "disclosure", "clickable", "draggable", "droppable", "hoverable", "checkbox", "radio", "switch",
]);

const NAMED_BY_CONTENT_TOO = new Set([
  "cell", "columnheader", "rowheader", "gridcell", "heading", "math", "term", "tooltip", "graphics-object",
  "doc-backlink", "doc-biblioref", "doc-glossref", "doc-noteref", "doc-subtitle",
]);

// Their content is part of the name of the element around them.
const TRANSPARENT = new Set([
  "", "generic", "none", "caption", "code", "definition", "deletion", "emphasis", "insertion", "list", "listitem",
  "mark", "paragraph", "region", "strong", "subscript", "superscript", "time",
]);
const TRANSPARENT_TAGS = new Set(["DETAILS", "ADDRESS", "HGROUP", "FOOTER"]);

// Their `title` attributes are not names.
const NAMELESS = new Set([
  "generic", "caption", "code", "definition", "deletion", "emphasis", "insertion", "mark", "paragraph", "strong",
  "subscript", "suggestion", "superscript", "term", "time",
]);

const EMBEDDED = "button, checkbox, listbox, menuitem, menuitemcheckbox, menuitemradio, radio, searchbox, slider, spinbutton, " +
  "switch, tab, textbox, tree, treegrid";
const SET_APART = new Set(EMBEDDED.split(", "));
const FORM_TAGS = new Set(["BUTTON", "INPUT", "SELECT", "TEXTAREA", "FIELDSET", "OUTPUT"]);
const RANGES = { slider: "50", scrollbar: "50", spinbutton: "0", meter: "0", progressbar: null };
const WITHOUT_TEXT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "IFRAME", "OBJECT", "EMBED", "RT", "RP", "AUDIO", "VIDEO", "desc", "metadata"]);
const LEAVES = new Set(["IMG", "INPUT", "TEXTAREA", "SELECT", "BR", "HR", "METER", "PROGRESS"]);

function shortened(text) {
  const cleaned = clean(text);
  return cleaned.length > NAME_MAX ? cleaned.slice(0, NAME_MAX - 1).toWellFormed() + "…" : cleaned;
}

// The role as in an outline, if the outline has a word for the element.
function nameOf(element, role) {
  return shortened(nameWhole(element, role));
}

function nameWhole(element, role) {
  return clean(alternative(element, namingRole(element, role), { visited: new Set(), hidden: null }));
}

function namingRole(element, listed = roleOf(element)) {
  return NAMED_BY_CONTENT.has(listed) || listed === "textbox" ? listed : ariaRoleOf(element);
}

const PLAIN_TAGS = new Set(["SPAN", "DIV", "B", "I", "U", "SMALL", "FONT", "PICTURE"]);

const TEXT_ONLY_TAGS = new Set([...PLAIN_TAGS, "EM", "STRONG", "P", "MARK", "SUB", "SUP", "CODE", "TIME", "H1", "H2", "H3", "H4", "H5", "H6"]);

// Whether an element can only be named by its content.
function isPlain(element) {
  if (!TEXT_ONLY_TAGS.has(tagOf(element))) return false;
  const count = attributesOf(element).length;
  return count === 0 || count === 1 && hasAttributeOf(element, "class");
}

function innerRole(element) {
  const tag = tagOf(element);
  if (tag === "svg" && !hasAttributeOf(element, "role")) return pictureRole(element);
  return PLAIN_TAGS.has(tag) && !fits(element, "[role], [contenteditable], [draggable]") ? "generic" : namingRole(element);
}

// The text of an element. `walk` has: `visited`, all nodes so far, none of which is used twice;
// `referenced`, whether a reference led here (further references are then not followed); `hidden`,
// whether hidden parts count; `style`, the style of the element if it was read; `from`, whether the
// last text comes from "content" or "other".
function alternative(element, role, walk, inner = false) {
  walk.from = "other";
  const again = walk.visited.has(element);
  if (again && !walk.referenced || walk.visited.size > NAME_NODES_MAX) return "";
  walk.visited.add(element);
  if (inner && !again) {
    const value = embeddedValue(element, role, walk);
    if (value !== null) return value;
  }
  if (!walk.referenced && hasAttributeOf(element, "aria-labelledby")) {
    const texts = referencedText(element, walk.visited);
    if (clean(texts)) return texts;
  }
  const label = attributeOf(element, "aria-label");
  if (label && /[^ \t\n\f\r]/.test(label)) return label;
  const native = nativeName(element, walk.visited);
  if (native !== null && (clean(native) || tagOf(element) === "IMG")) return native;
  if (isNamedByContent(element, role, walk, inner)) {
    const text = contentText(element, walk.style ?? getComputedStyle(element), { ...walk });
    if (inner ? text : clean(text)) {
      walk.from = "content";
      return text;
    }
  }
  walk.from = "other";
  if (walk.referenced || !NAMELESS.has(role)) {
    const title = attributeOf(element, "title");
    if (title && clean(title)) return title;
  }
  if (native === null && isTextField(element, role)) {
    const isNative = tagOf(element) === "INPUT" || tagOf(element) === "TEXTAREA";
    return isNative && attributeOf(element, "placeholder") || attributeOf(element, "aria-placeholder") || "";
  }
  return "";
}

function isNamedByContent(element, role, walk, inner) {
  const tag = tagOf(element);
  if (tag === "SELECT" || WITHOUT_TEXT.has(tag) && inner) return false;
  if (walk.referenced || NAMED_BY_CONTENT.has(role) || NAMED_BY_CONTENT_TOO.has(role)) return true;
  if (!role && !inner) return tag === "TD" || tag === "TH" || tag === "RT";
  if (role === "row") return around(element, "[role=grid], [role=treegrid]") !== null;
  return inner ? TRANSPARENT.has(role) || TRANSPARENT_TAGS.has(tag) && !hasAttributeOf(element, "role") : false;
}

function isTextField(element, role) {
  const tag = tagOf(element);
  if (tag === "SELECT") return false;
  if (tag === "INPUT") return ["textbox", "searchbox", "spinbutton", "password"].includes(INPUT_ROLES[propertyOf(element, "type")] ?? "textbox");
  return tag === "TEXTAREA" || role === "textbox" || role === "searchbox" || role === "combobox";
}

function referencedText(element, visited) {
  return referencedBy(element, "aria-labelledby").map((one) => {
    const walk = { visited, referenced: true, hidden: !isExposed(one) };
    return alternative(one, namingRole(one), walk, true);
  }).map(clean).filter(Boolean).join(" ");
}

// The name from the native markup of an element, such as its label or `alt`; null if there is none.
function nativeName(element, visited) {
  const tag = tagOf(element);
  switch (tag) {
    case "INPUT": case "BUTTON": case "SELECT": case "TEXTAREA": case "METER": case "PROGRESS": case "OUTPUT": {
      const labels = labelsOf(element);
      const text = labels && labelText(labels, visited);
      if (text) return text;
      return tag === "INPUT" ? buttonName(element) ?? text ?? null : text ?? null;
    }
    case "IMG": case "AREA":
      return attributeOf(element, "alt");
    case "FIELDSET":
      return partText(element, ":scope > legend", visited);
    case "TABLE":
      return partText(element, ":scope > caption", visited) ?? attributeOf(element, "summary");
    case "OPTION":
      return element.label;
    case "OPTGROUP":
      return attributeOf(element, "label");
  }
  if (propertyOf(element, "namespaceURI") !== SVG) return null;
  return firstIn(element, ":scope > title")?.textContent || (tag === "a" ? attributeOf(element, "xlink:title") : null);
}

function buttonName(input) {
  switch (input.type) {
    case "button":
      return attributeOf(input, "value") || null;
    case "submit": case "reset":
      return attributeOf(input, "value") || (hasAttributeOf(input, "value") || (givenRole(input, true) ?? "button") !== "button" ? null : input.type === "submit" ? "Submit" : "Reset");
    case "image":
      return attributeOf(input, "alt") || attributeOf(input, "value") || attributeOf(input, "title") || "Submit";
    default:
      return null;
  }
}

let labelled = null;

// The labels of a field; those of all fields are found once for each task.
function labelsOf(field) {
  if (!labelled) {
    labelled = new Map();
    queueMicrotask(() => { labelled = null; });
  }
  const root = rootNodeOf(field);
  if (!labelled.has(root)) labelled.set(root, Map.groupBy(allIn(root, "label"), (label) => label.control));
  return labelled.get(root).get(field);
}

function labelText(labels, visited) {
  return labels.filter(isExposed)
    .map((label) => clean(alternative(label, "", { visited, hidden: false }, true)))
    .filter(Boolean).join(" ");
}

function partText(element, selector, visited) {
  const part = firstIn(element, selector);
  return part && isExposed(part) ? alternative(part, namingRole(part), { visited, hidden: false }, true) : null;
}

// The value of a control that is embedded in the text of another element; null if it is not such a
// control.
function embeddedValue(element, role, walk) {
  const tag = tagOf(element);
  if (tag === "SELECT") return role !== "combobox" && role !== "listbox" ? null : [...propertyOf(element, "selectedOptions")].map((option) => option.label).join(" ");
  if (tag === "TEXTAREA") return propertyOf(element, "value") || null;
  if (role === "listbox") return selectedText(element, walk);
  if (role === "combobox" || role === "textbox" || role === "searchbox" || hasAttributeOf(element, "contenteditable") && isEditingHost(element)) {
    if (tag === "INPUT") return propertyOf(element, "type") === "password" ? "•".repeat(propertyOf(element, "value").length) || null : propertyOf(element, "value") || null;
    if (role !== "combobox") return propertyOf(element, "innerText") ?? "";
    return selectedText(element, walk) ?? (hasAttributeOf(element, "tabindex") ? propertyOf(element, "innerText") : null);
  }
  if (role in RANGES) return rangeText(element, role);
  return null;
}

function selectedText(element, walk) {
  const active = referencedBy(element, "aria-activedescendant");
  const lists = [element, ...referencedBy(element, "aria-owns")];
  const chosen = active.length ? active : lists.flatMap((list) => [...allIn(list, "[aria-selected=true]")]);
  const texts = chosen.map((one) => alternative(one, "option", { ...walk, style: null }));
  return texts.length ? texts.map(clean).join(" ") : null;
}

function rangeText(element, role) {
  const text = attributeOf(element, "aria-valuetext") || attributeOf(element, "aria-valuenow");
  if (text) return text;
  if (tagOf(element) === "PROGRESS") return hasAttributeOf(element, "value") ? String(propertyOf(element, "value")) : null;
  return propertyOf(element, "value") === undefined ? RANGES[role] : propertyOf(element, "value") === "" ? null : String(propertyOf(element, "value"));
}

// The text of what is in an element, with spaces where two parts are not in one line of text.
function contentText(element, style, walk) {
  if (LEAVES.has(tagOf(element))) return "";
  const shown = walk.hidden !== false || style.visibility === "visible";
  const nodes = childrenNamed(element);
  if (nodes.length === 1 && kindOf(nodes[0]) === Node.TEXT_NODE) {
    const [before, after] = GENERATED.map((which) => generatedText(element, which));
    if (!before && !after) return shown ? displayed(nodes[0].data, style) : "";
  }
  walk.hidden ??= !isExposed(element);
  let text = "", apart = false, before = "";
  const add = (piece, from, box) => {
    if (piece && text && (apart || box || from === "other" || before === "other")) text += " ";
    text += box === BLOCK ? ` ${piece} ` : piece;
    if (piece) before = from;
    apart = Boolean(box) || apart && !piece;
  };
  const generated = (which) => {
    const added = shown && generatedText(element, which);
    if (added) add(added.text, added.from, added.box);
  };
  generated("::before");
  const closed = tagOf(element) === "DETAILS" && !propertyOf(element, "open") && !walk.hidden;
  for (const [index, node] of nodes.entries()) {
    if (walk.visited.size > NAME_NODES_MAX) break;
    if (closed && !(node instanceof Element && tagOf(node) === "SUMMARY")) continue;
    if (kindOf(node) === Node.TEXT_NODE) {
      walk.visited.add(node);
      if (shown && !isBesideNothing(nodes, index, walk)) add(displayed(node.data, style), "content", INLINE_BOX);
    } else if (kindOf(node) === Node.ELEMENT_NODE && (!WITHOUT_TEXT.has(tagOf(node)) || isNamedMedia(node))) {
      addElement(node, walk, add);
    }
  }
  generated("::after");
  return text;
}

// White space beside an element that is not rendered is not rendered either.
function isBesideNothing(nodes, index, walk) {
  if (walk.hidden || nodes.length === 1 || clean(nodes[index].data)) return false;
  return [nodes[index - 1], nodes[index + 1]].some((node) => node instanceof Element && getComputedStyle(node).display === "none");
}

const GENERATED = ["::before", "::after"];

// How the text of a part follows the text before it: in the same line, after a space, in a block.
const INLINE_BOX = 0, APART = 1, BLOCK = 2;

function isNamedMedia(element) {
  return fits(element, ":is(iframe, object, embed, audio, video):is([aria-label], [aria-labelledby], [title])");
}

function addElement(element, walk, add) {
  if (tagOf(element) === "BR" || tagOf(element) === "WBR") return add(" ", "content", INLINE_BOX);
  if (tagOf(element) === "svg" && !fits(element, SVG_LABELLED) && !firstIn(element, SVG_TEXT)) return add("", "content", APART);
  const style = getComputedStyle(element);
  const box = flowOf(element, style, walk);
  if (!walk.hidden) {
    if (style.display === "none") return;
    if (attributeOf(element, "aria-hidden") === "true" || hasAttributeOf(element, "inert") || style.contentVisibility === "hidden") {
      if (box === BLOCK) add("", "content", box);
      return;
    }
  }
  const own = { visited: walk.visited, referenced: walk.referenced, hidden: walk.hidden, style };
  if (isPlain(element) && !walk.visited.has(element)) {
    walk.visited.add(element);
    return add(contentText(element, style, own), "content", box);
  }
  const role = innerRole(element);
  const unseen = tagOf(element) === "SLOT" || !walk.hidden && style.visibility !== "visible";
  const text = unseen ? contentText(element, style, own) : alternative(element, role, own, true);
  add(text, unseen ? "content" : own.from, box || (SET_APART.has(role) || FORM_TAGS.has(tagOf(element)) ? APART : INLINE_BOX));
}

const SVG_LABELLED = "[aria-label], [aria-labelledby], [title], [role]";
const SVG_TEXT = "title, text, a, foreignObject, [aria-label], [aria-labelledby]";

function flowOf(element, style, walk) {
  if (walk.hidden && !isVisible(element)) return APART;
  if (style.display.startsWith("inline-") || style.display === "contents" || ATOMIC.has(tagOf(element))) return APART;
  if (ownedElements().has(element)) return APART;
  return style.display === "inline" || style.display.startsWith("ruby") ? INLINE_BOX : BLOCK;
}

const ATOMIC = new Set(["IMG", "INPUT", "SELECT", "TEXTAREA", "BUTTON", "svg", "IFRAME", "OBJECT", "EMBED", "VIDEO", "AUDIO", "CANVAS"]);

function displayed(data, style) {
  switch (style.textTransform) {
    case "uppercase": return data.toUpperCase();
    case "lowercase": return data.toLowerCase();
    case "capitalize": return data.replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
    default: return data;
  }
}

// The nodes that a name takes text from: slotted ones in their slots, owned ones last.
function childrenNamed(element) {
  const nodes = renderedNodes(element);
  const owned = ownedElements();
  if (!owned.size) return nodes;
  const own = referencedBy(element, "aria-owns").filter((one) => owned.has(one) && one !== element && !contains(one, element));
  return [...[...nodes].filter((node) => !owned.has(node)), ...own];
}

let owned = null;

// The elements that an `aria-owns` moves; found once for each task.
function ownedElements() {
  if (!owned) {
    const owners = [...allIn(document, "[aria-owns]")].filter((one) => !around(one, "[aria-hidden=true]"));
    owned = new Set(owners.flatMap((one) => referencedBy(one, "aria-owns")).filter((one) => isVisible(one)));
    queueMicrotask(() => { owned = null; });
  }
  return owned;
}

// The text that a style sheet puts before or after an element's own.
function generatedText(element, which) {
  const style = getComputedStyle(element, which);
  const content = style.content;
  if (content === "none" || content === "normal" || !content || style.display === "none") return null;
  const [texts, alt] = contentParts(content);
  if (alt !== null) return { text: alt, from: "other", box: INLINE_BOX };
  return { text: displayed(texts, style), from: "content", box: style.display === "inline" ? INLINE_BOX : style.display.startsWith("inline-") ? APART : BLOCK };
}

const QUOTES = { "open-quote": "“", "close-quote": "”" };

// The parts of a computed `content`: its strings and quotes, and the alternative text after its slash.
function contentParts(content) {
  let texts = "", alt = null;
  for (const [part, string, url, slash, word] of content.matchAll(/"((?:\\.|[^"\\])*)"|([\w-]+\((?:"(?:\\.|[^"\\])*"|[^)"])*\))|(\/)|([\w-]+)/g)) {
    if (slash) alt = "";
    else if (url) continue;
    else {
      const text = string === undefined ? QUOTES[word] ?? "" : unescaped(string);
      if (alt === null) texts += text;
      else alt += text;
    }
  }
  return [texts, alt];
}

function unescaped(string) {
  return string.replace(/\\([0-9a-fA-F]{1,6})\s?|\\(.)/g, (_, code, letter) => code ? String.fromCodePoint(parseInt(code, 16)) : letter);
}

// Whether an element is exposed to assistive technology.
function isExposed(element) {
  if (around(element, "[aria-hidden=true]")) return false;
  return isShown(element);
}

// `innerText` omits hidden text, but also the text of a shadow root and of what is slotted in one.
function shownText(element) {
  const isComposed = rootOf(element) || rootNodeOf(element) instanceof ShadowRoot && firstIn(element, "slot");
  return isComposed ? composedText(element) : propertyOf(element, "innerText") ?? propertyOf(element, "textContent");
}

function composedText(element) {
  const shown = [...renderedNodes(element)].filter((node) => node instanceof Text || node instanceof Element && !SKIPPED.has(tagOf(node)));
  return shown.map((node) => node instanceof Text ? node.data : isShown(node) ? tagOf(node) === "SLOT" ? composedText(node) : shownText(node) : "").join(" ");
}
