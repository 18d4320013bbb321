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
const OPTIONS_SEARCHED = 500;
const LINES_MAX = 20000;
const URL_MAX = 2000;
const HIDDEN_MAX = 2000;
const UNNAMED_PICTURES_MAX = 60;

// Maximum length of all texts together. A control or a cell counts as some characters, because a
// line may have any number of them.
const CHARACTERS_MAX = 2000000;
const CONTROL_CHARACTERS = 100;
const CELL_CHARACTERS = 5;

function outline(request) {
  return withFixedLayout(() => outlineNow(request));
}

// The element that a line begins at.
const BEGINS_AT = Symbol("begins at");

function outlineNow(request) {
  const lines = [];
  const hiddenLines = []; // below the line that is open
  const labelled = new Set();
  let line = null;
  let isMidWord = false;
  let hidden = 0;
  let folded = 0;
  let isDelegated = false;
  let isInControl = false;
  let isInCard = false;
  let room = CHARACTERS_MAX;
  let picturesLeft = UNNAMED_PICTURES_MAX;
  let cellAround = null;
  const isFull = () => lines.length >= LINES_MAX || room <= 0;
  const viewport = { bottom: innerHeight, right: innerWidth };

  const flush = () => {
    if (line?.parts.length) lines.push(line);
    line = null;
    lines.push(...hiddenLines.splice(0));
  };
  const open = (element, depth, kind = "") => {
    flush();
    line = { depth, kind, parts: [], seen: true, [BEGINS_AT]: element };
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
    const listens = listensToPresses(element);
    const item = (pointer || listens) && isList(element);
    const wasDelegated = isDelegated;
    isDelegated ||= listens && !listensForAll(element) && isDelegate(element);
    const generates = mayGenerate(element);
    if (generates) addGenerated(element, "::before", depth);
    for (const node of renderedNodes(element)) visit(node, depth, element, pointer, item);
    if (generates) addGenerated(element, "::after", depth);
    isDelegated = wasDelegated;
  };

  // The lines of what `visiting` visits, which are not listed yet.
  const linesOf = (visiting) => {
    const [ownLine, wasMidWord, before] = [line, isMidWord, lines.length];
    line = null;
    visiting();
    flush();
    [line, isMidWord] = [ownLine, wasMidWord];
    return lines.splice(before);
  };

  const generating = generatingElements();

  const mayGenerate = (element) => !generating || generating.has(element) || rootNodeOf(element) !== document || rootOf(element) !== null;

  const generatedWords = (element, which) => {
    const added = mayGenerate(element) && isShown(element) && generatedText(element, which);
    return added ? wordsOfGenerated(added) : "";
  };

  const addGenerated = (element, which, depth) => {
    const added = generatedText(element, which);
    if (!added || !isShown(element)) return;
    const text = (wordsOfGenerated(added) || fileOfGenerated(element, which)).slice(0, room);
    isMidWord &&= !text;
    if (text) add(text, element, depth);
  };

  const visit = (node, depth, parent, pointer, item) => {
    if (isFull()) return;
    const kind = kindOf(node);
    if (kind === Node.TEXT_NODE) {
      const { data } = node;
      const text = clean(data).slice(0, room);
      if (/^\s/.test(data)) isMidWord = false;
      if (!text) return;
      if (!isShown(parent)) {
        addHidden(text, parent, depth);
        return;
      }
      add(text, parent, depth);
      isMidWord = !/\s$/.test(data);
    } else if (kind === Node.ELEMENT_NODE && !SKIPPED.has(tagOf(node))) {
      visitElement(node, depth, pointer, item);
    }
  };

  const fileOfGenerated = (element, which) => {
    const file = isInControl || picturesLeft <= 0 ? "" : fileIn(getComputedStyle(element, which).content);
    if (file) picturesLeft -= 1;
    return file && `(image: ${file})`;
  };

  // The text for a picture without a name, outside of controls: these are named by it.
  const pictureIn = (element, style) => {
    const text = isInControl || picturesLeft <= 0 ? "" : unnamedPicture(element, style, cellAround);
    if (!text || nameOf(element, roleOf(element))) return "";
    picturesLeft -= 1;
    return text;
  };

  // Text that nobody sees is only listed for a search, which tells where it is.
  const addHidden = (text, element, depth) => {
    if (!request.searches || !text || room <= 0) return;
    const part = text.slice(0, Math.min(room, HIDDEN_MAX));
    hiddenLines.push({ depth, kind: "hidden", parts: [part], seen: true, [BEGINS_AT]: element });
    room -= part.length;
  };

  const visitElement = (element, depth, parentPointer, item = false) => {
    const style = getComputedStyle(element);
    const isHidden = style.display === "none" && tagOf(element) !== "AREA";
    if (dialogs.has(element) && !isDialogTurn) return;
    if (!request.hidden && (isHidden || isFolded(element, style) || isUnexposed(element, style))) {
      hidden += countControls(element);
      if (request.searches) addHidden(clean(wordsIn(element)), element, depth);
      return;
    }
    const tag = tagOf(element);
    const pointer = style.cursor === "pointer";
    const role = roleOf(element);
    const isPointed = pointer && !parentPointer;
    const isUsable = !isInControl || isInnerControl(element) || isPointed && isInCard;
    const used = isUsable ? controlRole(element, role, { pointed: isPointed, item: isItem(element, role, item) }) : "";
    const picture = used ? "" : pictureIn(element, style);
    const inline = picture !== "" || (INLINE.has(tag) || element instanceof SVGElement) && (style.display.startsWith("inline") || isInitial(element, style));
    const apart = inline && isApart(element, style); // any other element begins a line
    if (!inline) flush();
    if (apart) isMidWord = false;
    if (isRow(element, role)) {
      visitRow(element, used, depth, pointer);
    } else if (used) {
      visitControl(element, used, depth, style, pointer);
    } else if (picture) {
      isMidWord = false;
      add(picture, element, depth);
    } else if (tag === "LABEL" && isLabelOfControl(element)) {
      visitLabel(element, depth, style, pointer);
    } else if (role === "frame") {
      visitFrame(element, depth);
    } else if (/^H[1-6]$/.test(tag) || role === "heading") {
      open(element, depth, `h${levelOf(element)}`);
      visitChildren(element, depth, pointer);
    } else if (PICTURES.has(role) || isPicture(element)) {
      visitPicture(element, role, depth, pointer);
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
    const content = linesOf(() => visitChildren(label, depth, pointer));
    const rest = isShown(clickable(field)) ? linesBeside(content, nameWhole(field, roleOf(field))) : content;
    if (rest.length) flush();
    lines.push(...rest);
  };

  // A control is one line if its line has all words of its content. Otherwise the rest follows it: in
  // the line, or as lines below. Controls in it are always lines below.
  const visitControl = (element, role, depth, style, pointer) => {
    if (labelled.has(element)) return;
    if (!request.hidden && (!isShown(clickable(element)) || isNowhere(element, role))) {
      hidden += 1;
      if (!isLeaf(element) && !isShown(element)) visitChildren(element, depth, pointer);
      return;
    }
    const isCard = isNamedByText(role);
    const before = line?.parts.at(-1);
    if (role !== "link" || (before && typeof before !== "string")) flush();
    const number = numberOf(element); // before those of the controls in it
    const isLarge = isCard && (isDrawing(element) || clean(shownText(element)).length > NAME_MAX || role === "droppable" && handlesItems(element, pointer));
    const [wasInControl, wasInCard] = [isInControl, isInCard];
    isInControl = !isLarge;
    isInCard = isCard && !pointer;
    const content = isLeaf(element) && !isShortEditor(element) ? [] : linesOf(() => visitChildren(element, depth + 1, pointer));
    [isInControl, isInCard] = [wasInControl, wasInCard];
    if (isWrapper(element, role, content)) {
      flush();
      lines.push(...content.map((one) => ({ ...one, depth: one.depth - 1 })));
      return;
    }
    const name = nameWhole(element, role);
    if (!content.length && !name && !request.hidden && UNNAMED.has(role) && isUnseen(element, style)) {
      hidden += 1;
      return;
    }
    const value = valueOf(element, role);
    const part = control(element, number, role, style, name, value);
    const isNested = content.some((one) => one.frame !== undefined || one.parts.some(isControl));
    const isNamedByLines = isCard && (isNested || !name);
    let rest = isNamedByLines ? [] : linesBeside(content, `${name} ${value}`);
    if (isCard) {
      const text = isNamedByLines ? textOfLines(content) : name;
      const isGroup = isLarge || rest.length > 0 || role === "droppable" && isNested;
      part.name = isGroup ? attributeOf(element, "aria-label") ?? "" : text;
      rest = isGroup ? content : linesBeside(content, text);
      if (isGroup && content.length) delete part.guess;
    } else {
      const text = textOfLines(rest);
      if (text && text.length <= NAME_MAX) {
        part.shows = text;
        rest = linesBeside(rest, text);
        delete part.guess;
      }
    }
    if (part.name) delete part.guess;
    part.name = listedValue(part.name, request.whole);
    add(part, element, depth);
    if (role !== "link" || rest.length) flush();
    lines.push(...rest);
  };

  const control = (element, number, role, style, name, value = valueOf(element, role)) => {
    const part = { ref: number, role, name, value: listedValue(value, request.whole), states: statesOf(element, role) };
    noteIdentity(number, element, role, name);
    const guess = name ? "" : guessOf(element, role);
    if (guess) part.guess = guess;
    room -= part.value.length;
    if (role === "link") part.url = linkUrl(element);
    if (tagOf(element) === "SELECT") part.options = optionsOf(element, request.searches ? OPTIONS_SEARCHED : OPTIONS_SHOWN);
    const shown = part.value ? "" : listedValue(shownInField(element), request.whole);
    if (shown && !hasWords(name, shown)) part.shows = shown;
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
    const rowRole = used === "row" ? "clickable" : used;
    if (used) row.parts.push({ ...control(element, numberOf(element), rowRole, getComputedStyle(element), nameWhole(element, rowRole)), name: "", guess: "" });
    const framed = [];
    const item = handlesItems(element, pointer);
    const outerCell = cellAround;
    const addGeneratedToRow = (which) => {
      for (const one of mayGenerate(element) ? linesOf(() => addGenerated(element, which, depth)) : []) row.parts.push(...one.parts);
    };
    let cells = 0;
    addGeneratedToRow("::before");
    for (const cell of renderedNodes(element)) {
      if (isFull()) break;
      const isText = kindOf(cell) === Node.TEXT_NODE;
      const style = isText ? null : styleIfRendered(cell);
      if (isText ? !clean(cell.data) : !style) continue;
      room -= CELL_CHARACTERS;
      if (cells) row.parts.push(null);
      cells += 1;
      const isControlCell = !isText && isUsableCell(cell, style.cursor === "pointer" && !pointer, item);
      const text = isText || isControlCell ? null : textAlone(cell);
      if (text !== null) {
        addToRow(row, text, cell);
        continue;
      }
      cellAround = isText ? null : cell;
      const inner = linesOf(() => {
        const picture = isText || isControlCell ? "" : pictureIn(cell, style);
        if (picture) add(picture, cell, depth);
        else if (isText || isControlCell || !isCell(cell)) visit(cell, depth, element, pointer, item);
        else visitChildren(cell, depth, pointer);
      });
      if (isControlCell && !inner.length) { // such as what resizes a cell, which is no cell
        cells -= 1;
        if (cells) row.parts.pop();
      }
      for (const one of inner) {
        if (one.frame === undefined) row.parts.push(...one.parts);
        else framed.push(one);
      }
    }
    addGeneratedToRow("::after");
    cellAround = outerCell;
    line = row;
    flush();
    lines.push(...framed);
  };

  const isUsableCell = (cell, pointed, item) => controlRole(cell, "", { pointed, item: isItem(cell, roleOf(cell), item) }) !== "";

  // The text of a cell that shows nothing else, as most do; null if it may show more.
  const textAlone = (cell) => (showsOneText(cell) && !mayGenerate(cell) ? renderedNodes(cell)[0].data : null);

  const addToRow = (row, data, cell) => {
    const text = isFull() ? "" : clean(data).slice(0, room);
    if (!text || !isShown(cell)) return;
    row.parts.push(text);
    room -= text.length;
  };

  // Whether an element is one of the parts whose presses an element around them handles: the cells of
  // a grid that has such cells, else its rows.
  const isItem = (element, role, item) => {
    if (role === "row" && firstIn(element, GRID_CELLS)) return false;
    return item || isDelegated && (role === "row" || tagOf(element) === "TR" || fits(element, GRID_CELLS));
  };

  const visitPicture = (element, role, depth, pointer) => {
    const name = nameOf(element, "image") || drawingTitle(element);
    isMidWord = false;
    if (name && isShown(element)) add(`(${role === "img" || isDrawing(element) ? "image" : role}: ${name})`, element, depth);
    if (isLeaf(element) || isDrawing(element)) return;
    const rest = linesBeside(linesOf(() => visitChildren(element, depth, pointer)), name);
    if (rest.some((one) => one.frame !== undefined || one.parts.some(isControl))) {
      flush();
      lines.push(...rest);
    } else if (rest.length) {
      add(textOfLines(rest), element, depth);
    }
  };

  // Whether an element is marked as hidden although it may be seen: assistive technology skips it. Its
  // text is listed if it is short and not beside it again, and counted if it is long.
  const isUnexposed = (element, style) => {
    if (attributeOf(element, "aria-hidden") !== "true" || fits(element, ":focus-within")) return false;
    const text = clean(textWithout(element, null, generatedWords));
    if (!/[\p{L}\p{N}]/u.test(text) || ICON_FONT.test(style.fontFamily) || isSaidBeside(element, text, generatedWords)) return true;
    if (request.whole || text.length <= NAME_MAX && !countControls(element)) return false;
    folded += text.length;
    return true;
  };

  const visitGroup = (element, role, depth, pointer) => {
    open(element, depth, role);
    const group = line;
    group.parts.push(listedValue(nameWhole(element, role), request.whole));
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
  if (request.shown) accept(request.shown);
  beginListing();
  findHoverMenus();
  const start = request.ref ? found(request.ref).element : body();
  const dialogs = new Set(request.ref ? [] : openDialogs());
  let isDialogTurn = true;
  for (const dialog of dialogs) {
    visitElement(dialog, 0, false);
    flush();
  }
  isDialogTurn = false;
  if (start) visitElement(start, 0, false);
  flush();
  for (const one of lines) one.seen = inViewport(one[BEGINS_AT]);
  return { frames, record: {
    url: location.href,
    title: clean(propertyOf(document, "title")).slice(0, 300),
    top: Math.round(scrollY), height: documentElement()?.scrollHeight ?? 0,
    viewport: [innerWidth, innerHeight],
    lines, hidden, folded, found: Boolean(start), cut: isFull(),
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
  return beside !== null && kindOf(beside) === Node.TEXT_NODE && /\S/.test(beside.data);
}

// Whether an element is the first letter of a text, which the text flows around.
function isInitial(element, style) {
  return style.float !== "none" && clean(propertyOf(element, "textContent")).length === 1;
}

function isShown(element) {
  return layoutRead ? readOnce(layoutRead.shown, element, isShownNow) : isShownNow(element);
}

function isShownNow(element) {
  if (isVisible(element, { visibilityProperty: true }) || tagOf(element) === "AREA") return true;
  if (!hasNoBox(element) || getComputedStyle(element).visibility !== "visible") return false;
  const parent = parentOf(element);
  return parent instanceof Element ? isVisible(parent) || isShown(parent) : parent !== null;
}

// The style of an element; null for a node that is not rendered, or is no element.
function styleIfRendered(node) {
  if (kindOf(node) !== Node.ELEMENT_NODE || SKIPPED.has(tagOf(node))) return null;
  const style = getComputedStyle(node);
  return style.display === "none" ? null : style;
}

// The nodes that are rendered as the content of an element: slotted ones in their slots.
function renderedNodes(element) {
  const root = rootOf(element);
  if (root) return root.childNodes;
  const slotted = tagOf(element) === "SLOT" ? invoke(element, "assignedNodes") : [];
  return slotted.length ? slotted : childrenOf(element);
}

function showsOneText(element) {
  const nodes = renderedNodes(element);
  return nodes.length === 1 && kindOf(nodes[0]) === Node.TEXT_NODE;
}

// The words that a style sheet adds to an element, without signs and icons.
function wordsOfGenerated(added) {
  const text = clean(added.text.replace(/\p{Co}/gu, ""));
  return /[\p{L}\p{N}]/u.test(text) ? text : "";
}

// The elements that style sheets may add words to; null if they cannot be told.
function generatingElements() {
  const elements = new Set();
  const read = (rules) => [...rules].slice(0, RULES_MAX).every((rule) => {
    if (rule.cssRules?.length && !read(rule.cssRules)) return false;
    if (!/:(?:before|after)/.test(rule.selectorText ?? "") || !ADDED_WORDS.test(rule.style.content)) return true;
    for (const selector of rule.selectorText.split(",").filter((one) => /:(?:before|after)/.test(one))) {
      for (const element of allIn(document, selector.replace(/::?(?:before|after)/, "").trim() || "*")) elements.add(element);
    }
    return true;
  });
  try {
    return [...styleSheets()].every((sheet) => read(sheet.cssRules)) ? elements : null;
  } catch { // another origin's sheet, or a selector that has to be resolved
    return null;
  }
}

const ADDED_WORDS = /"[^"]*[\p{L}\p{N}][^"]*"|\b(?:attr|var)\(/u;
const ICON_FONT = /icon|symbol|awesome|glyph/i;

// Whether the text around an element, such as one for screen readers, has its words too.
function isSaidBeside(element, text, generated) {
  const parent = parentOf(element);
  if (!(parent instanceof Element) || (textContentOf(parent) ?? "").length > TEXT_BESIDE_MAX) return false;
  return hasWords(textWithout(parent, element, generated), text);
}

const TEXT_BESIDE_MAX = 5000;
const GRID_CELLS = "[role=gridcell], [role=grid] td, [role=treegrid] td";

// The dialogs that are open over the page, without those in others.
function openDialogs() {
  const open = matching(document, "dialog, [role=dialog], [role=alertdialog]").filter(isOverPage);
  return open.filter((one) => !open.some((other) => other !== one && contains(other, one)));
}

function isOverPage(dialog) {
  if (!isVisible(dialog, { visibilityProperty: true, opacityProperty: true })) return false;
  if (fits(dialog, "dialog:modal") || attributeOf(dialog, "aria-modal") === "true") return true;
  const { bottom, top, right, left } = rectOf(dialog);
  if (bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth) return false;
  for (let node = dialog; node && node !== body(); node = parentOf(node)) {
    if (node instanceof Element && /absolute|fixed/.test(getComputedStyle(node).position)) return true;
  }
  return false;
}

// Texts and lines: which words a line has, and which lines add some.

const plainWords = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

// Whether a text has all words of another, whether or not both divide them alike.
function hasWords(text, other) {
  if (text.trim() === other.trim()) return true;
  const words = new Set(plainWords(text));
  const wanted = plainWords(other);
  if (wanted.every((word) => words.has(word))) return true;
  const joined = wanted.join("");
  return joined.length >= JOINED_MIN ? plainWords(text).join("").includes(joined) : plainWords(text).join("") === joined;
}

const JOINED_MIN = 4;

const isControl = (part) => part !== null && typeof part === "object";

const PICTURE_TEXT = /\((?:image|color|audio|video|plugin|progressbar|meter): [^()]*\)/g;

// The lines that have controls, frames, or words that a text has not, and the groups that contain such.
function linesBeside(lines, text) {
  const beside = [];
  let deepest = -1;
  for (const line of lines.toReversed()) {
    const rest = line.parts.filter((part) => isControl(part) || typeof part === "string" && !hasWords(text, part.replace(PICTURE_TEXT, "")));
    const isGroup = line.kind !== "" && !/^(h\d|row)$/.test(line.kind);
    if (line.frame === undefined && !rest.length && !(isGroup && deepest > line.depth)) continue;
    beside.unshift(line.kind === "row" || line.frame !== undefined ? line : { ...line, parts: rest });
    deepest = isGroup && deepest > line.depth ? line.depth : Math.max(deepest, line.depth);
  }
  return beside;
}

function textOfLines(lines) {
  const texts = lines.filter((one) => one.frame === undefined).flatMap(({ parts }) => parts.filter((part) => typeof part === "string"));
  return clean(texts.join(" "));
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
  return style.display !== "contents" && ![...allIn(element, "*")].some((inner) => /absolute|fixed/.test(getComputedStyle(inner).position));
}

// What a field shows instead of its value: its placeholder, or the words on a button.
function shownInField(element) {
  if (tagOf(element) !== "INPUT" || !/^(submit|button|reset)$/.test(propertyOf(element, "type"))) return propertyOf(element, "placeholder") ?? "";
  return hasAttributeOf(element, "value") ? propertyOf(element, "value") : buttonName(element) ?? "";
}

// A label of a meter or an output, which is no control, is a text like any other.
function isLabelOfControl(label) {
  const field = propertyOf(label, "control");
  return field !== null && CONTROLS.has(roleOf(field));
}

const UNSEEN_MAX = 8;

// Whether an element without content cannot be seen, or only changes the size of another: it has no
// area, it is a narrow edge without a color, or the mouse shows that it resizes.
function isUnseen(element, style) {
  if (element instanceof SVGElement || style.content !== "normal" || style.backgroundImage !== "none") return false;
  const { width, height } = rectOf(element);
  if (!width || !height || /-resize$/.test(style.cursor)) return true;
  return Math.min(width, height) <= UNSEEN_MAX && !hexOf(style.backgroundColor);
}

function isLabelOf(label, element) {
  return [...(propertyOf(element, "labels") ?? [])].some((own) => contains(own, label));
}

const UNNAMED = new Set(["clickable", "draggable", "droppable", "hoverable"]);

// Whether a control is only known by a script or a style: its text is its name, if that is short.
function isNamedByText(role) {
  return UNNAMED.has(role) || !CONTROLS.has(role) && role !== "canvas";
}

// Whether an element contains one control and no text, so that a press on either is the same.
function isWrapper(element, role, content) {
  if (role !== "clickable" && role !== "hoverable" || hasAttributeOf(element, "aria-label")) return false;
  const parts = content.flatMap((line) => line.parts);
  return parts.length === 1 && isControl(parts[0]) && content.every((line) => !line.kind);
}

// Whether an element shows nothing of its content, or shows it as its value.
function isLeaf(element) {
  return LEAVES.has(tagOf(element)) || MEDIA.has(tagOf(element)) || isEditingHost(element);
}

// An editor's text is its value; it may have fields, and show a placeholder that a style sheet adds.
function isShortEditor(element) {
  return isEditingHost(element) && !LEAVES.has(tagOf(element)) && (textContentOf(element) ?? "").length <= TEXT_BESIDE_MAX;
}

const MEDIA = new Set(["CANVAS", "AUDIO", "VIDEO", "EMBED", "OBJECT", "IFRAME", "FRAME", "AREA"]);

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

// The shown text of an element and of the fields in it, without that of one of its parts. `generated`
// returns what a style sheet adds to an element.
function textWithout(element, part, generated) {
  const texts = [...renderedNodes(element)].map((node) => {
    if (kindOf(node) === Node.TEXT_NODE) return isShown(element) ? node.data : "";
    if (kindOf(node) !== Node.ELEMENT_NODE || node === part || SKIPPED.has(tagOf(node))) return "";
    return textWithout(node, part, generated);
  });
  const isField = /^(INPUT|TEXTAREA)$/.test(tagOf(element)) && isShown(element);
  const shown = isField ? valueOf(element, roleOf(element)) || propertyOf(element, "placeholder") : "";
  return [generated(element, "::before"), shown, ...texts, generated(element, "::after")].filter(Boolean).join(" ");
}

// The text of an element, whether or not it is shown.
function wordsIn(element) {
  const texts = [...renderedNodes(element)].map((node) => {
    if (kindOf(node) === Node.TEXT_NODE) return node.data;
    return kindOf(node) === Node.ELEMENT_NODE && !SKIPPED.has(tagOf(node)) ? wordsIn(node) : "";
  });
  return texts.join(" ");
}

function levelOf(element) {
  const level = parseInt(attributeOf(element, "aria-level") ?? tagOf(element)[1], 10);
  return level >= 1 && level <= 6 ? level : 2;
}

const CELLS = new Set(["cell", "gridcell", "columnheader", "rowheader"]);

function isCell(element) {
  return tagOf(element) === "TD" || tagOf(element) === "TH" || CELLS.has(roleOf(element));
}

function isRow(element, role) {
  if (role === "row") return true;
  if (tagOf(element) !== "TR") return false;
  return !firstIn(element, "table") && !isLayout(around(element, "table"), "table");
}

// Layout tables are not listed as tables.
function isLayout(element, role) {
  return role === "table" && element !== null && once(layouts, element, isLayoutTable);
}

function isLayoutTable(table) {
  return /^(none|presentation)$/.test(attributeOf(table, "role") ?? "") || firstIn(table, "table") !== null;
}

// A `data:` URL may have megabytes.
function bounded(url) {
  return url.length > URL_MAX ? `${url.slice(0, URL_MAX - 1)}…` : url;
}

// The URL of a link without the part that it shares with the page's: its host, or all but the
// fragment.
function linkUrl(element) {
  const url = bounded(propertyOf(element, "href")?.baseVal ?? propertyOf(element, "href") ?? "");
  if (url.startsWith(`${here.url}#`)) return url.slice(here.url.length);
  return url.startsWith(`${here.origin}/`) ? url.slice(here.origin.length) : url;
}

function optionsOf(select, most) {
  const options = [...select.options];
  return { count: options.length, shown: options.slice(0, most).map((option) => shortened(option.label)) };
}
