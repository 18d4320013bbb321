// What an element is and what it is called: roles (ARIA in HTML) and accessible names (accname),
// as far as an outline needs them.

const NAME_MAX = 120;

const INPUT_ROLES = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox",
  radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", file: "file",
  color: "color", date: "date", time: "time", month: "month", week: "week",
  "datetime-local": "datetime", password: "password",
};

const TAG_ROLES = {
  BUTTON: "button", TEXTAREA: "textbox", SUMMARY: "disclosure", OPTION: "option", DIALOG: "dialog",
  NAV: "navigation", MAIN: "main", ASIDE: "complementary", FORM: "form", SEARCH: "search",
  FIELDSET: "group", UL: "list", OL: "list", MENU: "list", TABLE: "table", IMG: "image",
  AUDIO: "audio", VIDEO: "video", CANVAS: "canvas", EMBED: "plugin", OBJECT: "plugin",
  PROGRESS: "progressbar", METER: "meter", IFRAME: "frame", FRAME: "frame",
};

const CONTROLS = new Set([
  "button", "link", "checkbox", "radio", "switch", "slider", "spinbutton", "textbox", "searchbox",
  "combobox", "listbox", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
  "treeitem", "disclosure", "password", "file", "color", "date", "time", "month", "week",
  "datetime", "clickable",
]);

const TEXT_FIELDS = new Set(["textbox", "searchbox", "password", "spinbutton"]);

const NAMED_BY_CONTENT = new Set([
  "button", "link", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem",
  "disclosure", "clickable", "draggable", "droppable", "hoverable", "checkbox", "radio", "switch",
]);

function clean(text) {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

function shortened(text) {
  const cleaned = clean(text);
  return cleaned.length > NAME_MAX ? cleaned.slice(0, NAME_MAX - 1).toWellFormed() + "…" : cleaned;
}

function roleOf(element) {
  const given = (attributeOf(element, "role") ?? "").trim().split(/\s+/)[0].toLowerCase();
  if (/^[a-z]{1,30}$/.test(given) && given !== "none" && given !== "presentation") return given;
  const tag = tagOf(element);
  if (tag === "A" || tag === "AREA") return hasAttributeOf(element, "href") ? "link" : "";
  if (tag === "INPUT") {
    if (element.type === "hidden") return "";
    return hasAttributeOf(element, "list") ? "combobox" : INPUT_ROLES[element.type] ?? "textbox";
  }
  if (tag === "SELECT") return element.multiple || element.size > 1 ? "listbox" : "combobox";
  if (isEditingHost(element)) return "textbox";
  if (tag === "HEADER" || tag === "FOOTER") return landmarkOf(element);
  if (tag === "SECTION" && !hasAttributeOf(element, "aria-label")) return "";
  if (tag === "SECTION") return "region";
  return TAG_ROLES[tag] ?? "";
}

// Of the page; that of a part of it is none (HTML-AAM).
function landmarkOf(element) {
  if (around(element, "article, aside, main, nav, section")) return "";
  return tagOf(element) === "HEADER" ? "banner" : "contentinfo";
}

function isEditingHost(element) {
  return element.isContentEditable === true && !element.parentElement?.isContentEditable;
}

function nameOf(element, role) {
  return shortened(labelledBy(element) || attributeOf(element, "aria-label")
    || nativeName(element, role) || contentName(element, role)
    || attributeOf(element, "title") || attributeOf(element, "placeholder")
    || (TEXT_FIELDS.has(role) || role === "file" ? attributeOf(element, "name") : ""));
}

function labelledBy(element) {
  const ids = clean(attributeOf(element, "aria-labelledby"));
  if (!ids) return "";
  const root = element.getRootNode();
  return ids.split(" ").map((id) => root.getElementById?.(id)?.textContent ?? "").join(" ").trim();
}

function nativeName(element, role) {
  switch (tagOf(element)) {
    case "INPUT":
      if (role === "button") {
        return element.type === "image" ? element.alt || element.value : element.value || element.type;
      }
      return labelText(element);
    case "SELECT": case "TEXTAREA": case "METER": case "PROGRESS":
      return labelText(element);
    case "IMG": case "AREA":
      return element.alt;
    case "FIELDSET":
      return element.querySelector(":scope > legend")?.textContent;
    case "TABLE":
      return element.caption?.textContent;
    case "OPTION":
      return element.label;
    case "IFRAME": case "FRAME":
      return element.title || element.name;
    default:
      return "";
  }
}

// A label may stand round its field: what the field itself shows is no part of its name.
function labelText(element) {
  const texts = [...(element.labels ?? [])].map((label) => {
    const copy = label.cloneNode(true);
    for (const field of copy.querySelectorAll("input, select, textarea, option, script, style")) field.remove();
    return copy.textContent;
  });
  return clean(texts.join(" "));
}

function contentName(element, role) {
  if (!NAMED_BY_CONTENT.has(role) && role !== "heading") return "";
  const text = clean(shownText(element));
  if (text) return text;
  const image = element.querySelector("img[alt]:not([alt='']), [aria-label], svg title");
  return image?.getAttribute("alt") ?? image?.getAttribute("aria-label") ?? image?.textContent ?? iconName(element);
}

// `innerText` leaves out what is hidden; what a shadow root shows is not in it.
function shownText(element) {
  const root = rootOf(element);
  return root ? shadowText(root) : element.innerText ?? element.textContent;
}

function shadowText(root) {
  const shown = [...root.childNodes].filter((node) => node instanceof Text || node instanceof Element && !SKIPPED.has(tagOf(node)));
  return shown.map((node) => node instanceof Text ? node.data : isShown(node) ? shownText(node) : "").join(" ");
}

// The last resort for a button that shows nothing but a picture: what its author calls it.
function iconName(element) {
  const hint = element.id || attributeOf(element, "data-testid") || attributeOf(element, "name");
  return hint && hint.length < 40 ? hint : "";
}

// Whole, with its lines.
function valueOf(element, role) {
  switch (role) {
    case "password":
      return element.value ? "•••" : "";
    case "checkbox": case "radio": case "switch": case "button":
      return "";
    case "file":
      return [...element.files ?? []].map((file) => file.name).join(", ");
    case "combobox": case "listbox":
      if (tagOf(element) === "SELECT") {
        return [...element.selectedOptions].map((option) => clean(option.label)).join(", ");
      }
      return element.value ?? attributeOf(element, "aria-valuetext") ?? "";
    case "slider": case "progressbar": case "meter":
      return clean(attributeOf(element, "aria-valuetext") ?? attributeOf(element, "aria-valuenow") ?? String(element.value ?? ""));
    default:
      if (typeof element.value === "string" && "form" in element) return element.value;
      return isEditingHost(element) ? element.innerText ?? "" : "";
  }
}

const WHOLE_VALUE_MAX = 200000;

// A value as an outline has it: in one line and short, or whole where that is asked for.
function listedValue(value, whole) {
  const text = whole ? value : clean(value);
  const most = whole ? WHOLE_VALUE_MAX : NAME_MAX;
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…(+${text.length - most} characters)` : text.toWellFormed();
}

function statesOf(element, role) {
  const states = [];
  const aria = (name) => attributeOf(element, `aria-${name}`);
  const checked = tagOf(element) === "INPUT" && "checked" in element ? element.checked : null;
  if (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(role)) {
    if (element.indeterminate || aria("checked") === "mixed") states.push("mixed");
    else if (checked ?? aria("checked") === "true") states.push("checked");
  }
  if (isDisabled(element)) states.push("disabled");
  if (element.readOnly || aria("readonly") === "true") states.push("readonly");
  if (element.required || aria("required") === "true") states.push("required");
  if (aria("invalid") && aria("invalid") !== "false") states.push("invalid");
  if (aria("selected") === "true") states.push("selected");
  if (aria("pressed") === "true") states.push("pressed");
  if (aria("current") && aria("current") !== "false") states.push("current");
  const expanded = role === "disclosure" ? String(element.parentElement?.open ?? false) : aria("expanded");
  if (expanded === "true") states.push("expanded");
  if (expanded === "false") states.push("collapsed");
  if (element === element.getRootNode().activeElement) states.push("focused");
  return states;
}

function isDisabled(element) {
  return fits(element, ":disabled") || around(element, "[aria-disabled='true'], [inert]") !== null;
}
