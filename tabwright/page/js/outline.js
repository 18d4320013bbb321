// The page as lines, from top to bottom: a line has texts and controls. Frames of other sites are
// lines of their own, which the caller fills in.

const INLINE = new Set([
  "A", "ABBR", "B", "BDI", "BDO", "CITE", "CODE", "DATA", "DFN", "EM", "FONT", "I", "INS", "DEL", "KBD",
  "LABEL", "MARK", "Q", "S", "SAMP", "SMALL", "SPAN", "STRONG", "SUB", "SUP", "TIME", "U", "VAR",
  "BUTTON", "INPUT", "SELECT", "TEXTAREA", "IMG", "WBR", "SLOT", "TT",
]);

const SKIPPED = new Set([
  "SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "MATH",
  "BASE", "DATALIST", "PARAM", "SOURCE", "TRACK", "COL", "COLGROUP",
  "title", "desc", "metadata", "style", "script", "defs", "symbol", "clipPath", "mask", "marker", "pattern",
  "linearGradient", "radialGradient", "filter",
]);

// Elements outside of all groups are the page's own content: `main` is not a group.
const GROUPS = new Set([
  "navigation", "banner", "contentinfo", "complementary", "form", "search", "region", "dialog",
  "alertdialog", "group", "table", "grid", "menu", "menubar", "tablist", "tree", "toolbar",
  "radiogroup", "alert", "status", "listbox",
]);

const PICTURES = new Set(["image", "audio", "video", "plugin", "progressbar", "meter", "img", "frame"]);

const OPTIONS_SHOWN = 6;
const LINES_MAX = 20000;
const URL_MAX = 2000;

// Maximum length of all texts together. A control or a cell counts as some characters, because a
// line may have any number of them.
const CHARACTERS_MAX = 2000000;
const CONTROL_CHARACTERS = 100;
const CELL_CHARACTERS = 5;

function outline(request) {
  const lines = [];
  const labelled = new Set();
  let line = null;
  let isMidWord = false;
  let hidden = 0;
  let room = CHARACTERS_MAX;
  const isFull = () => lines.length >= LINES_MAX || room <= 0;
  const viewport = { bottom: innerHeight, right: innerWidth };

  const flush = () => {
    if (line?.parts.length) lines.push(line);
    line = null;
  };
  const open = (element, depth, kind = "") => {
    flush();
    line = { depth, kind, parts: [], seen: inViewport(element) };
    isMidWord = false;
  };
  const add = (part, element, depth) => {
    if (!line) open(element, depth);
    const last = line.parts.at(-1);
    if (typeof part !== "string" || typeof last !== "string") line.parts.push(part);
    else line.parts[line.parts.length - 1] = isMidWord ? last + part : `${last} ${part}`;
    isMidWord = false;
    room -= typeof part === "string" ? part.length : CONTROL_CHARACTERS;
  };
  const inViewport = (element) => {
    const box = rectOf(element);
    return box.bottom > 0 && box.top < viewport.bottom && box.right > 0 && box.left < viewport.right;
  };

  const visitChildren = (element, depth, pointer) => {
    const nodes = rootOf(element)?.childNodes
      ?? (tagOf(element) === "SLOT" && invoke(element, "assignedNodes").length ? invoke(element, "assignedNodes") : childrenOf(element));
    const item = handlesItems(element, pointer);
    for (const node of nodes) visit(node, depth, element, pointer, item);
  };

  const visit = (node, depth, parent, pointer, item) => {
    if (isFull()) return;
    if (kindOf(node) === Node.TEXT_NODE) {
      const text = clean(node.data).slice(0, room);
      if (/^\s/.test(node.data)) isMidWord = false;
      if (!text || !isShown(parent)) return;
      add(text, parent, depth);
      isMidWord = !/\s$/.test(node.data);
      return;
    }
    if (kindOf(node) !== Node.ELEMENT_NODE || SKIPPED.has(tagOf(node))) return;
    visitElement(node, depth, pointer, item);
  };

  const visitElement = (element, depth, parentPointer, item = false) => {
    const style = getComputedStyle(element);
    const isHidden = style.display === "none" && tagOf(element) !== "AREA";
    if (isHidden || isFolded(element, style) || attributeOf(element, "aria-hidden") === "true" && !fits(element, ":focus-within")) {
      if (!request.hidden) { hidden += countControls(element); return; }
    }
    const pointer = style.cursor === "pointer";
    const role = roleOf(element);
    const used = controlRole(element, role, { pointed: pointer && !parentPointer, item });
    const inline = (INLINE.has(tagOf(element)) || element instanceof SVGElement) && (style.display.startsWith("inline") || isInitial(element, style));
    const apart = isApart(element, style);
    if (!inline) flush();
    if (apart) isMidWord = false;
    if (isRow(element, role)) {
      visitRow(element, used, depth, pointer);
    } else if (used) {
      visitControl(element, used, depth, style, pointer);
    } else if (tagOf(element) === "LABEL" && propertyOf(element, "control")) {
      visitLabel(element, depth, style, pointer);
    } else if (role === "frame") {
      visitFrame(element, depth);
    } else if (/^H[1-6]$/.test(tagOf(element)) || role === "heading") {
      open(element, depth, `h${levelOf(element)}`);
      visitChildren(element, depth, pointer);
    } else if (PICTURES.has(role) || isPicture(element)) {
      visitPicture(element, role, depth);
    } else if (GROUPS.has(role) && !isLayout(element, role)) {
      visitGroup(element, role, depth, pointer);
    } else {
      visitChildren(element, depth, pointer);
    }
    if (!inline) flush();
    if (apart) isMidWord = false;
  };

  // A hidden field is listed at its label; any other field is named by the text of its label.
  const visitLabel = (label, depth, style, pointer) => {
    const field = label.control;
    if (!isShown(field) && isShown(label)) {
      visitControl(field, roleOf(field), depth, style, pointer);
      labelled.add(field);
    }
    for (const inner of innerControls(label)) visitElement(inner, depth, pointer);
  };

  const visitControl = (element, role, depth, style, pointer) => {
    if (labelled.has(element)) return;
    if (!request.hidden && (!isShown(clickable(element)) || isNowhere(element, role))) { hidden += 1; return; }
    const inner = listsInnerControls(element, role) ? innerControls(element) : [];
    const isCard = UNNAMED.has(role);
    const isDropList = role === "droppable" && (inner.length || handlesItems(element, pointer));
    if (isCard && (isDropList || isDrawing(element) || shownText(element).length > TEXT_OF_CARD)) {
      visitGroupControl(element, role, depth, style, pointer);
      return;
    }
    if (isCard && inner.length === 1 && !clean(textWithout(element, new Set(inner)))) {
      visitElement(inner[0], depth, true);
      return;
    }
    const before = line?.parts.at(-1);
    if (role !== "link" || (before && typeof before !== "string")) flush();
    const part = control(element, role, style);
    if (isCard && inner.length) part.name = shortened(textWithout(element, new Set(inner)));
    if (part.name) delete part.guess;
    add(part, element, depth);
    if (role !== "link") flush();
    for (const one of inner) visitElement(one, depth + 1, true);
  };

  // A control that is too large to be named by its content: the content follows.
  const visitGroupControl = (element, role, depth, style, pointer) => {
    open(element, depth);
    const part = control(element, role, style);
    part.name = attributeOf(element, "aria-label") ?? "";
    add(part, element, depth);
    flush();
    visitChildren(element, depth + 1, pointer);
    flush();
  };

  const control = (element, role, style) => {
    const number = numberOf(element);
    const name = nameOf(element, role);
    const part = { ref: number, role, name, value: listedValue(valueOf(element, role), request.whole), states: statesOf(element, role) };
    known.get(number).is = name ? `${role} "${name}"` : role;
    const guess = name ? "" : guessOf(element, role);
    if (guess) part.guess = guess;
    room -= part.value.length;
    if (role === "link") part.url = linkUrl(element);
    if (tagOf(element) === "SELECT") part.options = optionsOf(element);
    if (attributeOf(element, "draggable") === "true" && role !== "draggable") part.states.push("draggable");
    if (opensOnHover(element) && role !== "hoverable") part.states.push("opens on hover");
    if (!name && UNNAMED.has(role)) part.states.push(...looksOf(element));
    else if (tagOf(element) === "text") part.states.push(...colorOfText(element));
    if (role === "canvas" || tagOf(element) === "svg") part.states.push(sizeOf(element));
    if (isShown(clickable(element))) {
      const by = coveredBy(element);
      if (by) part.covered = by;
    } else part.states.push("hidden");
    if (request.boxes) {
      const box = rectOf(element);
      part.states.push(`box=${[box.left, box.top, box.width, box.height].map(Math.round)}`);
    }
    return part;
  };

  const visitFrame = (element, depth) => {
    if (!isShown(element)) return;
    open(element, depth, "frame");
    line.parts.push(nameOf(element, "frame"));
    line.frame = frames.push(element) - 1;
    line.url = bounded(element.src);
    flush();
  };

  const visitRow = (element, used, depth, pointer) => {
    open(element, depth, "row");
    const row = line;
    if (used) row.parts.push({ ...control(element, used === "row" ? "clickable" : used, getComputedStyle(element)), name: "" });
    const framed = [];
    const item = handlesItems(element, pointer);
    const cells = [...elementsOf(element)].filter((cell) => !SKIPPED.has(tagOf(cell)));
    cells.forEach((cell, index) => {
      if (isFull() || getComputedStyle(cell).display === "none") return;
      room -= CELL_CHARACTERS;
      if (index) row.parts.push(null);
      line = { depth, kind: "cell", parts: [], seen: row.seen };
      isMidWord = false;
      const collected = line;
      const before = lines.length;
      const isUsed = controlRole(cell, "", { pointed: getComputedStyle(cell).cursor === "pointer" && !pointer, item });
      if (isUsed) visitElement(cell, depth, pointer, item);
      else visitChildren(cell, depth, pointer);
      const inner = lines.splice(before).filter((one) => one !== collected);
      if (line && line !== collected) inner.push(line);
      for (const one of [collected, ...inner]) {
        if (one.frame === undefined) row.parts.push(...one.parts);
        else framed.push(one);
      }
    });
    line = row;
    flush();
    lines.push(...framed);
  };

  const visitPicture = (element, role, depth) => {
    const name = nameOf(element, "image") || drawingTitle(element);
    isMidWord = false;
    if (name && isShown(element)) add(`(${role === "img" || isDrawing(element) ? "image" : role}: ${name})`, element, depth);
  };

  const visitGroup = (element, role, depth, pointer) => {
    open(element, depth, role);
    const group = line;
    group.parts.push(nameOf(element, role));
    if (role === "table" || role === "grid") group.rows = allIn(element, "tr, [role=row]").length;
    if (attributeOf(element, "aria-modal") === "true" || fits(element, "dialog:modal")) group.modal = true;
    lines.push(group);
    line = null;
    const before = lines.length;
    visitChildren(element, depth + 1, pointer);
    flush();
    if (lines.length === before) lines.pop();
  };

  const coveredBy = (element) => {
    const target = clickable(element);
    const point = shownPoint(target);
    if (!point) return "";
    const top = elementAt(point.x, point.y);
    if (!top || lands(top, element, target) || contains(top, target)) return "";
    if (openPoint(rectOf(target), element, target)) return "";
    return describe(layerOf(top, target));
  };

  const frames = [];
  findHoverMenus();
  const start = request.ref ? found(request.ref).element : body();
  if (start) visitElement(start, 0, false);
  flush();
  return { frames, record: {
    url: location.href,
    title: clean(propertyOf(document, "title")).slice(0, 300),
    top: Math.round(scrollY), height: documentElement()?.scrollHeight ?? 0,
    viewport: [innerWidth, innerHeight],
    lines, hidden, found: Boolean(start), cut: isFull(),
  } };
}

// Whether the words in an element of a line are no part of the words beside it.
function isApart(element, style) {
  if (element instanceof SVGElement || tagOf(element) === "SUB" || tagOf(element) === "SUP") return true;
  if (hasWordBeside(element, "previousSibling") || hasWordBeside(element, "nextSibling")) return false;
  if (style.display !== "inline" && clean(propertyOf(element, "textContent")).length > 1) return true;
  return [style.marginLeft, style.marginRight, style.paddingLeft, style.paddingRight].some((side) => Number.parseFloat(side) >= 1);
}

function hasWordBeside(element, name) {
  const beside = propertyOf(element, name);
  return beside !== null && kindOf(beside) === Node.TEXT_NODE && clean(beside.data) !== "";
}

// Whether an element is the first letter of a text, which the text flows around.
function isInitial(element, style) {
  return style.float !== "none" && clean(propertyOf(element, "textContent")).length === 1;
}

function isShown(element) {
  return isVisible(element, { visibilityProperty: true }) || tagOf(element) === "AREA";
}

function shownPoint(element) {
  const box = rectOf(element);
  const x = box.left + box.width / 2, y = box.top + box.height / 2;
  if (!box.width || !box.height || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return null;
  return { x, y };
}

// Whether an element is invisible although it is rendered: it is scaled to nothing, has no content
// (as the ends of a dialog that keep the focus in it), or is outside of the page.
function isNowhere(element, role) {
  const { width, height, right, bottom } = rectOf(clickable(element));
  if (UNNAMED.has(role) && (right + scrollX <= 0 || bottom + scrollY <= 0) && width && height) return true;
  if (width && height) return false;
  if (propertyOf(element, "offsetWidth") > 0 && propertyOf(element, "offsetHeight") > 0) return true;
  return role === "clickable" && hasAttributeOf(element, "tabindex") && !childrenOf(element).length;
}

// Whether an element shows nothing of its content, as a folded part of a page does.
function isFolded(element, style) {
  if (style.overflowX === "visible" || style.overflowY === "visible" || element === body()) return false;
  const { width, height } = rectOf(element);
  if (width && height || fits(element, "input, [tabindex]") || element instanceof SVGElement) return false;
  return style.display !== "contents" && ![...elementsOf(element)].some((child) => /absolute|fixed/.test(getComputedStyle(child).position));
}

function isLabelOf(label, element) {
  return [...(propertyOf(element, "labels") ?? [])].some((own) => contains(own, label));
}

const UNNAMED = new Set(["clickable", "draggable", "droppable", "hoverable"]);

// Whether controls in an element are listed below it: in a control that is named by its content, or in
// a field that consists of others, such as a box around an input and its button.
function listsInnerControls(element, role) {
  if (NAMED_BY_CONTENT.has(role)) return true;
  return !isFormControl(element) && !isEditingHost(element) && !NAMED_BY_CONTENT.has(roleOf(element));
}

function isDrawing(element) {
  return tagOf(element) === "svg";
}

function drawingTitle(element) {
  return isDrawing(element) ? shortened(firstIn(element, ":scope > title")?.textContent) : "";
}

// The color distinguishes labels in drawings.
function colorOfText(element) {
  const color = element instanceof SVGElement ? hexOf(getComputedStyle(element).fill) : "";
  return color && color !== "#000000" ? [color] : [];
}

function sizeOf(element) {
  const box = rectOf(element);
  return `${Math.round(box.width)}x${Math.round(box.height)}`;
}

// A drawing without text or controls.
function isPicture(element) {
  if (!isDrawing(element) || allIn(element, "text, a, [role], [onclick], [tabindex]").length || holdsControls(element)) return false;
  const shapes = [...allIn(element, [...SHAPES].join())].slice(0, POINTED_SHAPES_MAX);
  return getComputedStyle(element).cursor === "pointer" || !shapes.some((shape) => getComputedStyle(shape).cursor === "pointer");
}

const POINTED_SHAPES_MAX = 20;

// The shown text of an element without that of some of its parts.
function textWithout(element, parts) {
  const texts = [...rootOf(element)?.childNodes ?? childrenOf(element)].map((node) => {
    if (kindOf(node) === Node.TEXT_NODE) return node.data;
    if (kindOf(node) !== Node.ELEMENT_NODE || parts.has(node) || SKIPPED.has(tagOf(node)) || !isShown(node)) return "";
    return textWithout(node, parts);
  });
  return texts.join(" ");
}

function levelOf(element) {
  const level = parseInt(attributeOf(element, "aria-level") ?? tagOf(element)[1], 10);
  return level >= 1 && level <= 6 ? level : 2;
}

function isRow(element, role) {
  if (role === "row") return true;
  if (tagOf(element) !== "TR") return false;
  return !firstIn(element, "table") && !isLayout(around(element, "table"), "table");
}

// Layout tables are not listed as tables.
function isLayout(element, role) {
  if (role !== "table" || !element) return false;
  return /^(none|presentation)$/.test(attributeOf(element, "role") ?? "") || firstIn(element, "table") !== null;
}

// A `data:` URL may have megabytes.
function bounded(url) {
  return url.length > URL_MAX ? `${url.slice(0, URL_MAX - 1)}…` : url;
}

// The URL of a link without the part that it shares with the page's: its host, or all but the
// fragment.
function linkUrl(element) {
  const url = bounded(propertyOf(element, "href")?.baseVal ?? propertyOf(element, "href") ?? "");
  const page = location.href.split("#", 1)[0];
  if (url.startsWith(`${page}#`)) return url.slice(page.length);
  return url.startsWith(location.origin + "/") ? url.slice(location.origin.length) : url;
}

function optionsOf(select) {
  const labels = [...select.options].map((option) => shortened(option.label));
  return { count: labels.length, shown: labels.slice(0, OPTIONS_SHOWN) };
}
