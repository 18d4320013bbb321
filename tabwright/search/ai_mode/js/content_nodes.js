// The answer as a tree: each node is a `ContentNode` of page_state.py.

const FIELD =
  'select,input:not([type]),input[type="text"],input[type="number"],input[type="date"],' +
  "textarea[readonly]";
const CHOICE = 'input[type="radio"],input[type="checkbox"]';
const DRAWING = 'svg,canvas,[role="img"]';
const ICON_SIZE_MAX = 24;
const TEX = ["data-tex", "data-latex", "data-math", "data-xpm-latex"];
const FORMULA_HTML_MAX = 20000;
const MARKER = /^\s*NODE_END_MARKER_\S*\s*$/;

const KINDS = {
  ul: "list", ol: "list", li: "item", table: "table", tr: "row", td: "cell", th: "cell",
  pre: "code", hr: "rule", blockquote: "quote", br: "break",
  strong: "bold", b: "bold", em: "italic", i: "italic", code: "mono", kbd: "mono", samp: "mono",
  sub: "sub", sup: "sup", del: "struck", s: "struck",
};
const ROLE_KINDS = {
  heading: "heading", list: "list", listitem: "item", table: "table", grid: "table",
  row: "row", cell: "cell", gridcell: "cell", columnheader: "cell", rowheader: "cell",
  separator: "rule",
};

// `left` holds elements that are not part of the answer; reading stops at `end`. Until the answer
// has ended, a few words next to grey bars report its progress.
function columnNodes(column, left, end, hasEnded) {
  let ended = false;
  const nodes = [];
  readKids(column, styleOf(column), nodes);
  return nodes;

  function readKids(parent, style, out) {
    for (const kid of kidsOf(parent)) {
      if (ended) return;
      if (kid.nodeType === Node.TEXT_NODE && isReadable(parent)) readText(kid, style, out);
      else if (kid.nodeType === Node.ELEMENT_NODE) readElement(kid, out);
    }
  }

  function readText(node, style, out) {
    if (style.fontSize === "0px") return;
    if (MARKER.test(node.data)) return;
    if (!/^(pre|pre-wrap|pre-line|break-spaces)$/.test(style.whiteSpace)) {
      out.push({ kind: "text", text: node.data });
      return;
    }
    node.data.split("\n").forEach((line, index) => {
      if (index) out.push({ kind: "break" });
      out.push({ kind: "text", text: line });
    });
  }

  function readElement(element, out) {
    if (element === end) ended = true;
    if (ended || left.has(element)) return;
    if (element.matches("img,picture")) return readPicture(element, out);
    if (element.matches(FIELD)) return readField(element, out);
    if (element.matches(CHOICE)) out.push({ kind: "text", text: " " });
    const name = nameOfDrawing(element);
    if (name) return readName(element, name, out);
    if (element.localName === "svg") return readDrawing(element, out);
    if (element.matches(UNREAD)) return;
    const style = styleOf(element);
    if (isHidden(element) && !isFolded(element)) return;
    if (element.matches('[role="tab"]') && panelOf(element)) return;
    const visible = isReadable(element);
    const formula = visible ? formulaOf(element) : null;
    if (formula) {
      out.push(formula);
      return;
    }
    if (element.matches(PANEL)) out.push(...labelOf(element));
    const inLine = isWithinLine(element, style);
    const isShort = inLine || element.matches(BUTTON);
    const chip = visible && isShort ? chipOf(element, () => wordsOf(element, style)) : null;
    if (!chip) readPart(element, style, visible, out);
    else if (!inLine) out.push({ kind: "box", kids: [chip] });
    else out.push({ kind: "text", text: edgesOf(element, style)[0] }, chip);
  }

  function wordsOf(element, style) {
    const words = [];
    readKids(element, style, words);
    return words;
  }

  // The value of a field is part of the sentence around it.
  function readField(field, out) {
    const text = field.selectedOptions?.[0]?.text ?? field.value;
    const shown = !isHidden(field) && isReadable(field);
    const edgeTo = (beside) => (beside?.nodeType === Node.ELEMENT_NODE ? " " : "");
    const [before, after] = [field.previousSibling, field.nextSibling].map(edgeTo);
    if (shown && text) out.push({ kind: "text", text: before + text + after });
  }

  function readPicture(element, out) {
    const picture = element.matches("img") ? element : element.querySelector("img");
    const label = squeeze(picture?.alt ?? "");
    if (!label || isHidden(element) || isHidden(picture)) return;
    if (!isReadable(picture)) return;
    out.push({ kind: "image", href: picture.currentSrc || picture.src, label });
  }

  function readName(drawing, label, out) {
    if (isHidden(drawing) || !isReadable(drawing)) return;
    const image = { kind: "image", label };
    out.push(isWithinLine(drawing, styleOf(drawing)) ? image : { kind: "box", kids: [image] });
  }

  // The words of a diagram, and what is embedded in it.
  function readDrawing(svg, out) {
    if (isHidden(svg) || !isReadable(svg)) return;
    for (const part of svg.querySelectorAll("text,foreignObject")) {
      if (isHidden(part)) continue;
      if (part.localName === "text") out.push({ kind: "text", text: ` ${wordsIn(part)} ` });
      else readKids(part, styleOf(part), out);
    }
  }

  function readPart(element, style, visible, out) {
    const kind = visible ? kindOf(element, style) : "";
    if (kind === "") {
      const [before, after] = visible ? edgesOf(element, style) : ["", ""];
      if (before) out.push({ kind: "text", text: before });
      readKids(element, style, out);
      if (after) out.push({ kind: "text", text: after });
    } else if (kind !== "box" || (hasEnded && bareText(element)) || !isSkeleton(element)) {
      out.push({ kind, ...detailsOf(element, kind), ...contentOf(element, style, kind) });
    }
  }

  function contentOf(element, style, kind) {
    if (kind === "code") return { text: codeText(element) };
    if (kind === "break" || kind === "rule") return {};
    const kids = [];
    readKids(element, style, kids);
    return element.matches("summary,dt") ? { kids: [{ kind: "bold", kids }] } : { kids };
  }
}

function kindOf(element, style) {
  const role = element.getAttribute("role");
  if (element.matches(HEADING)) return "heading";
  const plain = isWithinLine(element, style) ? "" : "box";
  if (role === "presentation" || role === "none") return plain;
  if (Object.hasOwn(ROLE_KINDS, role)) return ROLE_KINDS[role];
  if (element.matches("a[href]")) return "link";
  if (isCodeBlock(element, style)) return "code";
  if (Object.hasOwn(KINDS, element.localName)) return KINDS[element.localName];
  return plain;
}

function detailsOf(element, kind) {
  if (kind === "heading") return { level: headingLevel(element) };
  if (kind === "list") return { ordered: element.localName === "ol", start: element.start ?? 1 };
  if (kind === "item" && element.hasAttribute("value")) return { number: element.value };
  if (kind === "link") return { href: element.href, label: element.ariaLabel ?? "" };
  if (kind === "cell") return { rows: element.rowSpan ?? 1, columns: element.colSpan ?? 1 };
  if (kind === "code") return { language: codeLanguage(element) };
  if (kind === "box") return { paragraph: element.localName === "p", alert: element.matches(ALERT) };
  return {};
}

function headingLevel(element) {
  const level = element.getAttribute("aria-level") ?? /^h([1-6])$/.exec(element.localName)?.[1];
  return Math.min(6, Math.max(1, parseInt(level, 10) || 2));
}

function isCodeBlock(element, style) {
  if (element.localName === "pre") return true;
  if (isInline(style) || !style.whiteSpace.startsWith("pre")) return false;
  return /mono|courier|consolas/i.test(style.fontFamily);
}

function codeLanguage(element) {
  const named = [element, ...element.querySelectorAll("code")];
  const ofClass = (one) => /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(one.className)?.[1];
  const language = (one) => one.dataset.language || one.dataset.lang || ofClass(one);
  return named.map(language).find(Boolean) ?? "";
}

// The numbers of lines are not code: they cannot be selected, so that the code can be copied.
function codeText(element) {
  const isCopied = styleOf(element).userSelect !== "none";
  const isLineNumber = (node, style) =>
    isCopied && style.userSelect === "none" && /^\s*\d+\s*$/.test(node.textContent);
  let text = "";
  const freshLine = () => {
    if (text && !text.endsWith("\n")) text += "\n";
  };
  const read = (node) => {
    if (node.nodeType === Node.TEXT_NODE && !MARKER.test(node.data)) text += node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    if (node.localName === "br") text += "\n";
    if (node.matches(UNREAD) || node.matches(BUTTON)) return;
    const style = styleOf(node);
    if (isHidden(node) || style.visibility !== "visible" || isLineNumber(node, style)) return;
    if (!isInline(style)) freshLine();
    kidsOf(node).forEach(read);
    if (!isInline(style)) freshLine();
  };
  kidsOf(element).forEach(read);
  return text;
}

// The name of a drawing that is more than an icon and has no text of its own.
function nameOfDrawing(element) {
  if (!element.matches(DRAWING) || (element.localName !== "svg" && bareText(element))) return "";
  const title = element.localName === "svg" ? element.querySelector("title")?.textContent : "";
  const name = element.getAttribute("role") === "img" ? element.ariaLabel || title : "";
  return name && sizeOfDrawing(element) > ICON_SIZE_MAX ? squeeze(name) : "";
}

// In a fold that is not laid out, the size is the one that the page specifies, if it is known.
function sizeOfDrawing(element) {
  if (isLaidOut(element) || !isInFold(element)) return sideOf(element.getBoundingClientRect());
  const { width, height } = styleOf(element);
  return sideOf({ width: parseFloat(width), height: parseFloat(height) }) || Infinity;
}

function sideOf({ width, height }) {
  return Math.max(width, height);
}

// The lines of a text in a drawing have positions of their own.
function wordsIn(text) {
  const read = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    const isLine = node.matches("tspan[x],tspan[dy]");
    return (isLine ? " " : "") + Array.from(node.childNodes, read).join("");
  };
  return squeeze(read(text));
}

// A formula: MathML, marked TeX, or MathML beside the same as glyphs, which are hidden from readers.
function formulaOf(element) {
  if (element.localName === "math") return formulaNode(element);
  const tex = TEX.map((name) => element.getAttribute(name)).find(Boolean);
  if (tex) return { kind: "formula", text: squeeze(tex) };
  if (element.matches('[role="math"][aria-label]')) {
    return { kind: "formula", text: squeeze(element.ariaLabel) };
  }
  const halves = [...element.children];
  if (!halves.some(isGlyphs)) return null;
  const found = [...element.querySelectorAll("math")];
  if (!found.length && isSpelled(element, halves)) {
    return { kind: "text", text: element.ariaLabel };
  }
  const isHalf = (half) => isGlyphs(half) || half.contains(found[0]);
  return found.length === 1 && halves.every(isHalf) ? formulaNode(found[0]) : null;
}

// Whether screen readers read a name in place of the glyphs.
function isSpelled(element, halves) {
  if (!element.ariaLabel || element.matches(`a,${BUTTON}`)) return false;
  if (!isInline(styleOf(element))) return false;
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "";
  if ([...element.childNodes].some(isText)) return false;
  return halves.every((half) => half.ariaHidden === "true");
}

function isGlyphs(half) {
  if (half.ariaHidden === "true") return true;
  const kids = [...half.children];
  return kids.length > 0 && !bareText(half) && kids.every(isGlyphs);
}

function formulaNode(math) {
  const html = math.outerHTML;
  const text = squeeze(math.textContent);
  return { kind: "formula", text, html: html.length <= FORMULA_HTML_MAX ? html : "" };
}

// The panel that a tab opens, and the label of the tab as a line before its panel.
function panelOf(tab) {
  const root = tab.getRootNode();
  const named = root.getElementById(tab.getAttribute("aria-controls") ?? "");
  return named ?? [...root.querySelectorAll(PANEL)].find((one) => tabOf(one) === tab);
}

function tabOf(panel) {
  const root = panel.getRootNode();
  const named = root.getElementById(panel.getAttribute("aria-labelledby") ?? "");
  const tabs = [...root.querySelectorAll('[role="tab"]')];
  const opens = (tab) => panel.id && tab.getAttribute("aria-controls") === panel.id;
  return named?.matches('[role="tab"]') ? named : tabs.find(opens);
}

function labelOf(panel) {
  const text = squeeze(tabOf(panel)?.textContent ?? panel.ariaLabel ?? "");
  const bold = { kind: "bold", kids: [{ kind: "text", text }] };
  return text ? [{ kind: "box", kids: [bold] }] : [];
}
