// Copies a tree of a page. In the copy, elements that are not seen are `hidden`, inline elements
// that are laid out as blocks are set apart by spaces, and canvases have the content that they show.
// It belongs to a document of its own, so that nothing in it is run or loaded, and the page does not
// see the marks.
const inert = propertyOf(document, "implementation").createHTMLDocument("");
const copyOf = (root) => {
  if (propertyOf(root, "nodeType") === Node.ELEMENT_NODE) return inert.importNode(root, true);
  const copy = inert.createDocumentFragment(); // shadow roots cannot be imported
  copy.append(...[...propertyOf(root, "childNodes")].map((node) => inert.importNode(node, true)));
  return copy;
};
// Adds copies of hosts to `hosts`.
const withMarks = (root, { unseen, blocks, lines, keeping }, hosts, complete) => {
  const copy = copyOf(root);
  emptyLongScripts(copy);
  if (unseen.size || blocks.size || keeping.size || hosts.size) {
    const copies = call(copy, "querySelectorAll", "*");
    [...call(root, "querySelectorAll", "*")].forEach((element, place) => {
      if (unseen.has(element)) call(copies[place], "setAttribute", "hidden", unseen.get(element));
      if (blocks.has(element)) setApart(copies[place]);
      if (keeping.has(element)) copies[place].setAttribute("data-kept-lines", "");
      if (lines.has(element)) copies[place].setAttribute("data-own-line", "");
      if (hosts.has(element)) hosts.set(element, copies[place]);
    });
    if (hosts.has(root)) hosts.set(root, copy);
  }
  const canvases = call(copy, "querySelectorAll", "canvas");
  [...call(root, "querySelectorAll", "canvas")].forEach((canvas, place) => {
    const drawn = drawingOf(canvas);
    if (drawn !== null) canvases[place].setAttribute("data-drawn", drawn);
    else canvases[place].removeAttribute("data-drawn");
  });
  renameNested(copy);
  complete(root, copy);
  return copy;
};

// A script can put a button into a button, and an item into an item without a list. A parser would
// end the outer one there, and with its end tags other elements around it (HTML, section
// 13.2.6.4.7).
const NESTED = "button button, li li";
const ENDED = "button, li, ul, ol, menu, table, section, article, aside, nav, main, form, fieldset, details, blockquote, header, footer";
const renameNested = (copy) => {
  for (const inner of call(copy, "querySelectorAll", NESTED)) {
    const { localName } = inner;
    const outer = localName === "button" ? "button" : call(inner.parentElement, "closest", ENDED)?.localName;
    if (outer !== localName) continue;
    const renamed = inert.createElement(localName === "button" ? "span" : "div");
    for (const attribute of inner.attributes) renamed.setAttributeNode(attribute.cloneNode());
    renamed.append(...inner.childNodes);
    inner.replaceWith(" ", renamed, " ");
  }
};

// Inline libraries and data can be longer than all text of a page. Of a long script, only a sign
// that the page loads its content later is kept, because the page is judged by it. JSON-LD is
// content.
const SCRIPT_CHARACTERS_MAX = 500000;
const emptyLongScripts = (copy) => {
  for (const script of call(copy, "querySelectorAll", "script:not([type='application/ld+json' i]), style")) {
    const text = script.textContent;
    if (text.length > SCRIPT_CHARACTERS_MAX) script.textContent = BUILDERS.exec(text)?.[0] ?? "";
  }
};
const isSpace = (node) => node.nodeType === Node.TEXT_NODE && !node.data.trim();
const setApart = (copy) => {
  if (copy.hasAttribute("slot")) return copy.append(" "); // its neighbours are elsewhere
  // At the edge of an inline element, its neighbours are those of the inline element.
  const isInInline = INLINE.has(copy.parentElement?.localName);
  if (copy.previousSibling ? !isSpace(copy.previousSibling) : isInInline) copy.before(" ");
  if (copy.nextSibling ? !isSpace(copy.nextSibling) : isInInline) copy.after(" ");
};

// The content of a canvas as the data URL of a picture; null if it shows nothing or is not
// rendered, and empty if the page drew a picture of another site in it (HTML, section
// 4.12.5.1.22), or if it would exceed the limit for the drawings of the whole page with its
// frames.
let canvasesLeft = 8;
let drawingCharactersLeft = 1000000;
const CANVAS_SIDE_MIN = 50;
const DRAWING_SIDE_MAX = 1024;
const DRAWING_QUALITY = 0.85;
const drawingOf = (canvas) => {
  const shown = call(canvas, "getBoundingClientRect");
  if (Math.min(shown.width, shown.height) < CANVAS_SIDE_MIN || !isRendered(canvas)) return null;
  const width = propertyOf(canvas, "width"), height = propertyOf(canvas, "height");
  if (!width || !height) return null;
  if (!canvasesLeft) return "";
  canvasesLeft -= 1;
  const scale = Math.min(1, DRAWING_SIDE_MAX / Math.max(width, height));
  const drawing = propertyOf(document, "implementation").createHTMLDocument("").createElement("canvas");
  Object.assign(drawing, { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  try {
    const context = drawing.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0, drawing.width, drawing.height);
    const pixels = new Uint32Array(context.getImageData(0, 0, drawing.width, drawing.height).data.buffer);
    if (pixels.every((pixel) => pixel === pixels[0])) return null;
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = "white";
    context.fillRect(0, 0, drawing.width, drawing.height);
    const picture = drawing.toDataURL("image/jpeg", DRAWING_QUALITY);
    if (picture.length > drawingCharactersLeft) return "";
    drawingCharactersLeft -= picture.length;
    return picture;
  } catch {
    return "";
  }
};

// The effect of styles on text: `blocks`, the custom elements among them that are on `lines` of
// their own, elements `keeping` the lines of their texts, and `unseen` elements, whose text no style shows, outermost first, with the value of
// their attribute `hidden`. Inside them are those that are not rendered by themselves. Panels that
// a control on the page shows are not unseen; and nothing is if most of the page is hidden, as
// while it loads.
const NOT_TEXT = "head, script, style, template, noscript, datalist, title, option, optgroup, svg *, math, math *";
const CONTROLS = "[aria-controls], [popovertarget], [data-target], [data-bs-target], a[href^='#']";
const POPUPS = "dialog, [role=dialog], [role=alertdialog], [role=menu]";
const FAR = 500;
const HIDDEN_SHARE = 3;
const ELEMENTS_MAX = 50000;
let elementsLeft = ELEMENTS_MAX;
const looksOf = (trees) => {
  const unseen = new Map();
  const blocks = new Set();
  const lines = new Set();
  const keeping = new Set();
  const inShadows = shadowCharactersOf(trees);
  const clipped = new Set();
  const hosts = new Set(trees.map((one) => propertyOf(one, "host")));
  let characters = 0;
  for (const root of trees) {
    const elements = [...call(root, "querySelectorAll", "*")];
    elementsLeft -= elements.length;
    if (elementsLeft < 0) return { unseen: new Map(), blocks, lines, keeping };
    const around = new Set();
    for (const element of elements) {
      if (!isRendered(element)) continue;
      for (let one = element; one && !around.has(one); one = propertyOf(one, "parentElement")) around.add(one);
    }
    const controlled = new Set();
    for (const control of call(root, "querySelectorAll", CONTROLS)) {
      for (const name of ["aria-controls", "popovertarget", "data-target", "data-bs-target", "href"]) {
        for (const id of (call(control, "getAttribute", name) ?? "").split(/\s+/)) controlled.add(id.replace(/^#/, ""));
      }
    }
    const within = new Set();
    const inPanels = new Set();
    for (const element of elements) {
      const style = getComputedStyle(element);
      if (isBlock(element, style)) {
        blocks.add(element);
        const isOwnLine = isCustom(localNameOf(element)) && !style.display.startsWith("inline") && !isBesideOthers(element);
        if (isOwnLine) lines.add(element);
      }
      if (/^(pre|break)/.test(style.whiteSpaceCollapse ?? style.whiteSpace) && hasLines(element)) keeping.add(element);
      const parent = propertyOf(element, "parentElement") ?? propertyOf(root, "host");
      if (inPanels.has(parent)) inPanels.add(element);
      if (within.has(parent)) {
        within.add(element);
        if (style.display === "none" && !call(element, "matches", NOT_TEXT)) unseen.set(element, "");
        continue;
      }
      if (clipped.has(parent) || isClipped(element, style)) clipped.add(element);
      if (isGap(element) && !hosts.has(element) && (!around.has(element) || /absolute|fixed/.test(style.position))) {
        unseen.set(element, "");
        continue;
      }
      const isAnnouncement = clipped.has(element) && call(element, "matches", LIVE);
      const isOut = around.has(element)
        ? isAnnouncement || isOutOfSight(element, style)
        : style.display === "none" || (/hidden|collapse/.test(style.visibility) && !inPanels.has(element));
      if (!isOut || call(element, "matches", NOT_TEXT) || call(element, "querySelector", "math")) continue;
      const length = propertyOf(element, "textContent").trim().length + (inShadows.get(element) ?? 0);
      const id = propertyOf(element, "id");
      const isPanel = call(element, "matches", "[role=tabpanel]") || id && controlled.has(id) && !isMenu(element, length);
      if (!length) continue;
      if (isPanel && !call(element, "matches", POPUPS)) { inPanels.add(element); continue; }
      const unseenInFlow = style.opacity === "0" ? "faded" : "invisible";
      unseen.set(element, around.has(element) ? "out-of-sight" : isInFlow(element, style) ? unseenInFlow : "");
      within.add(element);
      characters += length;
    }
  }
  const [root] = trees;
  const all = propertyOf(root, "textContent").length + (inShadows.get(root) ?? 0);
  const isPart = !/^(html|body)$/.test(localNameOf(root));
  return { unseen: !isPart && characters > HIDDEN_SHARE * (all - characters) ? new Map() : unseen, blocks, lines, keeping };
};
// An empty part of the page. If it is not rendered, or above the page, nothing is missing there.
const isGap = (element) =>
  call(element, "matches", "div, section, ul, ol") && !propertyOf(element, "childElementCount") &&
  !propertyOf(element, "textContent").trim() && !call(element, "matches", "[aria-label], [title], [role=img]");
// Whether an element is inline by its name and a block or a tag by its style, as in a flex
// container, so that the words around it are not one word. Initials float, and the letters of a word can have
// an element each, so both are excluded.
const INLINE = new Set("a abbr b bdi bdo button cite code data del dfn em i ins kbd label mark q s samp small span strong time u var".split(" "));
const isBlock = (element, style) => {
  const { display, position, float, whiteSpace } = style;
  const name = localNameOf(element);
  if (!(INLINE.has(name) || isCustom(name)) || /^(inline$|none|contents|ruby)/.test(display)) return false;
  if (/absolute|fixed/.test(position) || float !== "none" || whiteSpace.startsWith("pre")) return false;
  if (display.startsWith("inline") && !isTag(element, style)) return false;
  return !/^\s*\p{L}\s*$/u.test(propertyOf(element, "textContent"));
};
// Whether an element in a line is a box with space at its sides, and not a part of a word.
const isTag = (element, style) => {
  const hasText = (name) => isSpaceless(propertyOf(element, name));
  if (hasText("previousSibling") || hasText("nextSibling")) return false;
  return ["marginLeft", "marginRight", "paddingLeft", "paddingRight"].some((side) => Number.parseFloat(style[side]) >= 1);
};
const isSpaceless = (node) => node?.nodeType === Node.TEXT_NODE && node.data.trim() !== "";
// Whether an element has a text of several lines, if it is not code.
const hasLines = (element) =>
  !call(element, "matches", "pre, pre *, textarea, code, script, style, title, svg *") &&
  [...propertyOf(element, "childNodes")].some((node) => node.nodeType === Node.TEXT_NODE && node.data.includes("\n"));
// Whether an element is in a row or a grid, beside others.
const WRAPPERS_MAX = 8;
const isBesideOthers = (element) => {
  let outer = element;
  for (let count = 0; count < WRAPPERS_MAX; count++) {
    outer = propertyOf(outer, "assignedSlot") ?? propertyOf(outer, "parentElement") ?? propertyOf(propertyOf(outer, "parentNode"), "host");
    if (!outer) return false;
    const { display, flexDirection } = getComputedStyle(outer);
    if (display !== "contents") return /grid/.test(display) || (/flex/.test(display) && flexDirection.startsWith("row"));
  }
  return false;
};
// The number of characters in the shadow roots below an element, if any.
const shadowCharactersOf = ([outer, ...roots]) => {
  const inShadows = new Map();
  const add = (node, more) => inShadows.set(node, (inShadows.get(node) ?? 0) + more);
  for (const inner of roots.toReversed()) {
    const more = propertyOf(inner, "textContent").trim().length + (inShadows.get(inner) ?? 0);
    for (let one = propertyOf(inner, "host"); one; one = one === outer ? null : propertyOf(one, "parentNode")) add(one, more);
  }
  return inShadows;
};
const isMenu = (element, length) =>
  2 * [...call(element, "querySelectorAll", "a")].reduce((sum, link) => sum + propertyOf(link, "textContent").trim().length, 0) >= length;
// An announcement, such as "Loading", is a text in a clipped box for screen readers. It stays on
// the page after the event.
const LIVE = "[aria-live], [role=alert], [role=log], [role=status]";
const isClipped = (element, { overflow, clip, clipPath }) => {
  if (overflow === "visible") return false;
  const { width, height } = call(element, "getBoundingClientRect");
  return Math.min(width, height) <= 1 && (clip !== "auto" || clipPath !== "none" || Math.max(width, height) <= 1);
};
// Whether an element takes up space, although it is not visible.
const isInFlow = (element, { display, position }) => {
  const { width, height } = call(element, "getBoundingClientRect");
  return display !== "none" && !/absolute|fixed/.test(position) && Math.min(width, height) > 0;
};
// Letters of no size or colour, and elements far outside of the page.
const isOutOfSight = (element, style) => {
  const isLeaf = !propertyOf(element, "childElementCount");
  if (isLeaf && (style.fontSize === "0px" || isColourless(element, style))) return true;
  if (Number.parseFloat(style.textIndent) < -FAR) return isLeaf;
  if (style.position !== "absolute" && style.position !== "fixed") return false;
  const box = call(element, "getBoundingClientRect");
  return box.right + scrollX < -FAR || box.bottom + scrollY < -FAR;
};
// Letters with a shadow or an outline, or through which a background is seen, have a colour.
const isColourless = (element, { webkitTextFillColor, webkitTextStrokeWidth, textShadow }) => {
  if (webkitTextFillColor !== "rgba(0, 0, 0, 0)" || textShadow !== "none" || webkitTextStrokeWidth !== "0px") return false;
  let outer = element;
  for (let count = 0; outer && count < WRAPPERS_MAX; count++) {
    if (/text/.test(getComputedStyle(outer).backgroundClip)) return false;
    outer = propertyOf(outer, "parentElement");
  }
  return true;
};

// The text of a row of a list, with the texts for its pictures and those in its shadow roots.
const textOfRow = (row) =>
  [row, ...shadowRootsOf(row)]
    .flatMap((root) => [propertyOf(root, "textContent"), ...[...call(root, "querySelectorAll", "img[alt]")].map(({ alt }) => alt)])
    .join("\n")
    .trim();

// Shadow roots become templates in the copies of their hosts (HTML, section 4.12.3). `complete` is
// called with the element, or the shadow root, and its copy.
const markedCopyOf = (root, roots = shadowRootsOf(root), complete = () => {}) => {
  const hosts = new Map(roots.map((inner) => [propertyOf(inner, "host"), null]));
  const looks = looksOf([root, ...roots]);
  const copy = withMarks(root, looks, hosts, complete);
  for (const inner of roots) {
    const template = inert.createElement("template");
    template.setAttribute("shadowrootmode", propertyOf(inner, "mode"));
    template.content.append(withMarks(inner, looks, hosts, complete));
    hosts.get(propertyOf(inner, "host")).prepend(template);
  }
  return copy;
};
