// The roles of elements, in two vocabularies: `ariaRoleOf` returns the role that Chromium computes
// (ARIA 1.3, HTML-AAM), "" if it has no ARIA name; `roleOf` returns the word of an outline, which
// is the same for most elements, more exact for some fields, and "" for elements that are listed as
// text.

const INPUT_ROLES = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox",
  radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", file: "file",
  color: "color", date: "date", time: "time", month: "month", week: "week",
  "datetime-local": "datetime", password: "password",
};

const ARIA_OF_INPUTS = { file: "button", color: "", date: "", time: "", month: "", week: "", datetime: "", password: "textbox" };

// Fields that can have a list of suggestions.
const SUGGESTED = new Set(["textbox", "searchbox", "spinbutton", "date", "time", "month", "week", "datetime"]);

const TAG_ROLES = {
  BUTTON: "button", TEXTAREA: "textbox", OPTION: "option", DIALOG: "dialog", NAV: "navigation",
  MAIN: "main", FORM: "form", SEARCH: "search", FIELDSET: "group", UL: "list", OL: "list",
  MENU: "list", TABLE: "table", IMG: "image", PROGRESS: "progressbar", METER: "meter",
};

const OUTLINE_TAGS = {
  AUDIO: "audio", VIDEO: "video", CANVAS: "canvas", EMBED: "plugin", OBJECT: "plugin",
  IFRAME: "frame", FRAME: "frame",
};

// Text and structure, which an outline shows in its own way.
const TEXT_TAGS = {
  H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading",
  P: "paragraph", ARTICLE: "article", FIGURE: "figure", BLOCKQUOTE: "blockquote", HR: "separator",
  DETAILS: "group", ADDRESS: "group", HGROUP: "group", OPTGROUP: "group", OUTPUT: "status",
  DT: "term", DFN: "term", DD: "definition", TIME: "time", CODE: "code", EM: "emphasis",
  STRONG: "strong", MARK: "mark", DEL: "deletion", S: "deletion", INS: "insertion",
  SUB: "subscript", SUP: "superscript", CAPTION: "caption",
  AUDIO: "", VIDEO: "", CANVAS: "", EMBED: "", OBJECT: "", IFRAME: "", FRAME: "", LABEL: "",
  LEGEND: "", FIGCAPTION: "", ABBR: "", RUBY: "", RT: "", RP: "", DL: "", MAP: "", MATH: "", BR: "",
};

const ARIA_ROLES = new Set(("alert alertdialog application article banner blockquote button caption cell checkbox code " +
  "columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed " +
  "figure form generic graphics-document graphics-object graphics-symbol grid gridcell group heading image img insertion " +
  "link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter " +
  "navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader " +
  "scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion " +
  "superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem " +
  "doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography " +
  "doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote " +
  "doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref " +
  "doc-index doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part " +
  "doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc").split(" "));

const SYNONYMS = { img: "image", presentation: "none", directory: "list" };

// Roles that are valid only inside of these.
const CONTEXTS = {
  listitem: new Set(["list", "group"]),
  option: new Set(["listbox", "group"]),
  treeitem: new Set(["tree", "group"]),
};

// With one of these attributes an element keeps its own role and ignores a presentational one.
const GLOBAL_ATTRIBUTES = "atomic braillelabel busy controls current description describedby details flowto keyshortcuts label " +
  "labelledby live owns relevant roledescription";
const GLOBALLY_DESCRIBED = GLOBAL_ATTRIBUTES.split(" ").map((name) => `[aria-${name}]`).join();
const FOCUSABLE = "[tabindex], a[href], area[href], summary, iframe, dialog, [contenteditable]:not([contenteditable=false]), " +
  ":is(button, input:not([type=hidden]), select, textarea):enabled";

const CONTROLS = new Set([
  "button", "link", "checkbox", "radio", "switch", "slider", "spinbutton", "textbox", "searchbox",
  "combobox", "listbox", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
  "treeitem", "disclosure", "password", "file", "color", "date", "time", "month", "week",
  "datetime", "clickable",
]);

function clean(text) {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

// An option or a list item has its role in an outline even if its list has none.
function roleOf(element) {
  const given = givenRole(element, false);
  return given === "generic" ? "" : given ?? nativeRole(element, true);
}

function ariaRoleOf(element) {
  const given = givenRole(element, true);
  if (given !== null) return given === "" ? "none" : given;
  const native = nativeRole(element, false);
  if (native === "generic" && tagOf(element) !== "A" && attributeOf(element, "draggable") === "true") return "group";
  return tagOf(element) === "INPUT" ? ARIA_OF_INPUTS[native] ?? native : native;
}

// The first role of its attribute that an element can have, "" for a presentational one, null for none.
function givenRole(element, strict) {
  const given = attributeOf(element, "role");
  if (!given) return null;
  for (const token of given.toLowerCase().split(/[ \t\n\f\r]+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    const role = SYNONYMS[token] ?? token;
    if (role === "none") {
      return fits(element, GLOBALLY_DESCRIBED) || fits(element, FOCUSABLE) ? null : "";
    } else if (role === "form" || role === "region") {
      if (isNamedByAuthor(element)) return role;
    } else if (!strict || !CONTEXTS[role] || isIn(element, CONTEXTS[role])) {
      return role;
    }
  }
  return null;
}

function isIn(element, roles) {
  for (let node = parentOf(element); node instanceof Element; node = parentOf(node)) {
    const role = ariaRoleOf(node);
    if (role !== "generic" && role !== "none") return roles.has(role);
  }
  return false;
}

function isNamedByAuthor(element) {
  return Boolean(clean(attributeOf(element, "aria-label")) || attributeOf(element, "title")
    || referencedBy(element, "aria-labelledby").length);
}

const NOTHING = [];

// The elements that an attribute names by their ids.
function referencedBy(element, attribute) {
  const given = attributeOf(element, attribute);
  const ids = given ? clean(given) : "";
  if (!ids) return NOTHING;
  const root = rootNodeOf(element);
  return ids.split(" ").map((id) => propertyOf(root, "getElementById")?.call(root, id)).filter(Boolean);
}

function nativeRole(element, listed) {
  const tag = tagOf(element);
  switch (tag) {
    case "DIV": case "SPAN":
      return isEditingHost(element) && listed ? "textbox" : listed ? "" : "generic";
    case "A":
      return hasAttributeOf(element, "href") || hasAttributeOf(element, "onclick") ? "link" : listed ? "" : "generic";
    case "AREA":
      return hasAttributeOf(element, "href") ? "link" : "";
    case "INPUT": {
      if (propertyOf(element, "type") === "hidden") return listed ? "" : "textbox";
      const role = INPUT_ROLES[propertyOf(element, "type")] ?? "textbox";
      return SUGGESTED.has(role) && propertyOf(element, "list") ? "combobox" : role;
    }
    case "SELECT":
      return propertyOf(element, "size") > 1 || propertyOf(element, "multiple") && propertyOf(element, "size") !== 1 ? "listbox" : "combobox";
    case "SUMMARY":
      return isDisclosure(element) ? listed ? "disclosure" : "" : listed ? "" : "generic";
    case "HEADER": case "FOOTER":
      return landmarkOf(element, listed);
    case "ASIDE":
      return !around(propertyOf(element, "parentElement") ?? element, "article, aside, nav, section") || isNamedByAuthor(element) ? "complementary" : listed ? "" : "generic";
    case "SECTION":
      return isNamedByAuthor(element) ? "region" : listed ? "" : "generic";
    case "svg":
      return listed ? "" : pictureRole(element);
    case "a":
      return propertyOf(element, "namespaceURI") === SVG && (hasAttributeOf(element, "href") || hasAttributeOf(element, "xlink:href")) ? "link" : "";
  }
  if (listed && isEditingHost(element)) return "textbox";
  const role = TAG_ROLES[tag];
  if (listed) return role ?? OUTLINE_TAGS[tag] ?? "";
  if (tag in TABLE_PARTS || tag === "TABLE") return tableRole(element, tag);
  if (tag === "LI") return isStrippedItem(element) ? "none" : "listitem";
  return role ?? TEXT_TAGS[tag] ?? "generic";
}

const SVG = "http://www.w3.org/2000/svg";

function pictureRole(svg) {
  if (firstIn(svg, "text, a, foreignObject, :scope * > title")) return "";
  if (fits(svg, "[title], [tabindex], [aria-placeholder]") || fits(svg, GLOBALLY_DESCRIBED)) return "image";
  return firstIn(svg, ":scope > title, circle, ellipse, image, line, path, polygon, polyline, rect, use") ? "image" : "";
}

function isDisclosure(summary) {
  const parent = summary.parentElement;
  return parent !== null && tagOf(parent) === "DETAILS" && firstIn(parent, ":scope > summary") === summary;
}

// The role of a header or footer of the page; that of a part of the page is not a landmark
// (HTML-AAM).
function landmarkOf(element, listed) {
  const isHeader = tagOf(element) === "HEADER";
  const part = around(element, "article:not([role]), aside:not([role]), main:not([role]), nav:not([role]), section:not([role]), " +
    "[role=article], [role=complementary], [role=main], [role=navigation]");
  if (part) return listed ? "" : isHeader ? "sectionheader" : "sectionfooter";
  return isHeader ? "banner" : "contentinfo";
}

// An item of a list that has lost its list role.
function isStrippedItem(item) {
  const list = item.parentElement;
  if (!list || !["UL", "OL", "MENU"].includes(tagOf(list)) || fits(item, GLOBALLY_DESCRIBED)) return false;
  return ariaRoleOf(list) !== "list";
}

const TABLE_PARTS = { TBODY: "rowgroup", THEAD: "rowgroup", TFOOT: "rowgroup", TR: "row", TD: "cell", TH: "columnheader" };

function tableRole(element, tag) {
  if (tag === "TABLE") return isDataTable(element) ? "table" : "";
  const table = around(element, "table");
  if (!table) return "generic";
  const whole = ariaRoleOf(table);
  if (!whole) return tag === "TR" || tag === "TD" || tag === "TH" ? "" : "generic";
  if (!["table", "grid", "treegrid"].includes(whole)) return "generic";
  if (tag === "TD" || tag === "TH") {
    const row = givenRole(around(element, "tr") ?? table, true);
    if (row !== null && row !== "row" && row !== whole) return "generic";
  }
  if (tag === "TD") return whole === "table" ? "cell" : "gridcell";
  return tag === "TH" ? headerRole(element, table) : TABLE_PARTS[tag];
}

function headerRole(cell, table) {
  const scope = (attributeOf(cell, "scope") ?? "").toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const row = cell.parentElement;
  if (!row || [...elementsOf(row)].every((one) => tagOf(one) === "TH") && (elementsOf(row).length > 1 || table.rows.length > 1)) return "columnheader";
  return "rowheader";
}

// A table that is not used for layout only, judged by its markup.
function isDataTable(table) {
  if (table.caption || table.tHead || table.tFoot || hasAttributeOf(table, "summary")) return true;
  if (Number(attributeOf(table, "border")) > 0 || table.rows.length >= 20) return true;
  if (firstIn(table, ":scope > colgroup > col, :scope > col")) return true;
  return table.rows.length * (table.rows[0]?.cells.length ?? 0) > 1 && [...table.rows].some((row) => [...row.cells].some(isHeaderLike));
}

function isHeaderLike(cell) {
  return tagOf(cell) === "TH" || fits(cell, "[headers], [scope], [abbr], [axis]");
}

function isEditingHost(element) {
  if (propertyOf(element, "isContentEditable") !== true) return false;
  const parent = propertyOf(element, "parentElement");
  return !(parent && propertyOf(parent, "isContentEditable"));
}
