// The elements that can be used: controls by their role, and other elements that a script, a style
// or an attribute makes clickable or draggable, or that open on hover.

const PRESS_EVENTS = new Set([
  "click", "dblclick", "contextmenu", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend",
]);
const HOVER_EVENTS = new Set(["mouseenter", "mouseover", "pointerenter", "pointerover", "mousemove", "pointermove"]);
const DROP_EVENTS = new Set(["dragenter", "dragover", "drop"]);

const PRESS_ATTRIBUTES = ["onclick", "onmousedown", "onmouseup", "onpointerdown", "ontouchstart", "ondblclick"];
const HOVER_ATTRIBUTES = ["onmouseover", "onmouseenter", "onpointerover", "onpointerenter"];
const DROP_ATTRIBUTES = ["ondrop", "ondragover"];
const USABLE = ["tabindex", "draggable", ...PRESS_ATTRIBUTES, ...HOVER_ATTRIBUTES, ...DROP_ATTRIBUTES]
  .map((name) => `[${name}]`).join();

const SHAPES = new Set(["circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "text", "image", "use"]);

// Events that scripts listen to on each element. Scripts cannot list listeners: the browser does.
const listenedTo = new WeakMap();
const pressed = new WeakSet();
let anyPressed = false;

function learnListeners(types, ...elements) {
  elements.forEach((element, index) => {
    if (!(element instanceof Element)) return;
    listenedTo.set(element, new Set([...types[index], ...listenedTo.get(element) ?? []]));
    if (types[index].some((type) => PRESS_EVENTS.has(type)) && !listensForAll(element)) {
      pressed.add(element);
      anyPressed = true;
    }
  });
  return elements.length;
}

function listensTo(element, events, attributes) {
  for (const type of listenedTo.get(element) ?? []) if (events.has(type)) return true;
  return attributes.some((name) => hasAttributeOf(element, name));
}

const PRESSED = PRESS_ATTRIBUTES.map((name) => `[${name}]`).join();

function listensToPresses(element) {
  return pressed.has(element) || fits(element, PRESSED);
}

// The role that an element is listed with, or "" if it is not a control.
// `pointed`: it shows a pointer cursor and its parent does not; `item`: its parent handles presses.
function controlRole(element, role, { pointed = false, item = false } = {}) {
  const tag = tagOf(element);
  if (role === "listbox") return tag === "SELECT" ? role : ""; // others are groups of options
  if (CONTROLS.has(role)) return role;
  if (tag === "LABEL" || tag === "BODY" || tag === "HTML" || role === "frame") return "";
  if (tag === "CANVAS") return "canvas";
  const isPlain = !pointed && !item && !listenedTo.has(element) && !opening.has(element);
  if (isPlain && !(element instanceof SVGElement) && !fits(element, USABLE)) return "";
  if (attributeOf(element, "draggable") === "true") return "draggable";
  if (GROUPS.has(role) && !hasAttributeOf(element, "onclick") && holdsControls(element)) return "";
  const index = attributeOf(element, "tabindex");
  if (hasAttributeOf(element, "onclick") || (index !== null && Number(index) >= 0 && !role)) return role || "clickable";
  if (pointed && !isList(element)) return role || "clickable";
  if (item && !holdsControls(element)) return "clickable";
  if (listensToPresses(element) && !isDelegate(element)) return role && !GROUPS.has(role) && role !== "list" ? role : "clickable";
  if (isShapeOfDrawing(element)) return "clickable";
  if (listensTo(element, DROP_EVENTS, DROP_ATTRIBUTES) && !listensForAll(element)) return "droppable";
  if (opensOnHover(element)) return "hoverable";
  if (listensTo(element, HOVER_EVENTS, HOVER_ATTRIBUTES) && !holdsControls(element) && !handlesItems(element, false)) return "hoverable";
  return "";
}

const TEXT_OF_CARD = 240;
const CONTROLS_OF_CARD = 3;

// Whether an element only handles the events of its descendants, as frameworks do, and is not a
// control itself.
function isDelegate(element) {
  if (isList(element) || listensForAll(element) || firstIn(element, ITEMS)) return true;
  const inner = innerControls(element).length;
  return inner > CONTROLS_OF_CARD || propertyOf(element, "childElementCount") > 0 && (textContentOf(element) ?? "").length > 4 * TEXT_OF_CARD;
}

const TYPES_OF_ROOT = 12;

// Whether a framework listens on an element for everything in it, as React does on its roots.
function listensForAll(element) {
  return (listenedTo.get(element)?.size ?? 0) > TYPES_OF_ROOT;
}

const ITEMS_MAX = 200;
const ITEM_TAGS = new Set(["LI", "TR", "TD", "DT", "DD"]);
const ITEMS = "tr, [role=row]";

// Whether all children of an element are alike, so that each is a control of its own.
function isList(element) {
  const children = elementsOf(element);
  if (children.length < 2 || children.length > ITEMS_MAX) return false;
  const [first] = children;
  const tagName = tagOf(first);
  if (![...children].every((child) => tagOf(child) === tagName)) return false;
  const kind = kindOfItem(first);
  return ITEM_TAGS.has(tagName) || kind !== "" && [...children].every((child) => kindOfItem(child) === kind);
}

function kindOfItem(element) {
  return attributeOf(element, "role") || (propertyOf(element, "classList")[0] ?? "");
}

function handlesItems(element, pointer) {
  return (pointer || listensToPresses(element)) && isList(element);
}

// Whether an element is a shape of a drawing that handles presses as a whole.
function isShapeOfDrawing(element) {
  if (!(element instanceof SVGElement) || !SHAPES.has(tagOf(element))) return false;
  const drawing = propertyOf(element, "ownerSVGElement");
  return drawing !== null && listensToPresses(drawing);
}

// Elements whose style sheets show hidden parts of them while the mouse is over them.
const RULES_MAX = 5000;
const REVEALING = ["display", "visibility", "opacity", "max-height"];
let hoverRules = { key: "", pairs: [] };
let opening = new WeakSet();

function findHoverMenus() {
  opening = new WeakSet();
  for (const [base, inner] of readHoverRules()) {
    for (const element of [...allIn(document, base)].slice(0, ITEMS_MAX)) {
      const revealed = firstIn(element, `:scope ${inner}`);
      if (revealed && !isVisible(revealed, { visibilityProperty: true, opacityProperty: true })) opening.add(element);
    }
  }
}

function readHoverRules() {
  const lists = [];
  for (const sheet of styleSheets()) {
    try {
      lists.push(sheet.cssRules);
    } catch { // another origin's
    }
  }
  const key = lists.map((rules) => rules.length).join();
  if (key !== hoverRules.key) {
    const pairs = lists.flatMap((rules) => [...rules].slice(0, RULES_MAX)).flatMap(hoverPairs);
    hoverRules = { key, pairs: pairs.slice(0, ITEMS_MAX) };
  }
  return hoverRules.pairs;
}

// The pair [".menu", "> ul"] of `.menu:hover > ul { display: block }`.
function hoverPairs(rule) {
  if (!rule.selectorText?.includes(":hover") || !REVEALING.some((name) => rule.style.getPropertyValue(name))) return [];
  return rule.selectorText.split(",").flatMap((selector) => {
    const [, base, inner] = /^\s*([^\s>+~][^+~]*?):hover\s*(>?[^+~:]+)$/.exec(selector) ?? [];
    if (!base || !/^[\s>]/.test(selector.slice(selector.indexOf(":hover") + 6))) return [];
    try {
      firstIn(new DocumentFragment(), `${base}, :scope ${inner}`);
      return [[base, inner.trim()]];
    } catch {
      return [];
    }
  });
}

function opensOnHover(element) {
  return opening.has(element);
}

// The appearance of a control without a name: its shape or its colour.
function looksOf(element) {
  const style = getComputedStyle(element);
  if (element instanceof SVGElement && tagOf(element) !== "svg") return [tagOf(element), hexOf(style.fill)].filter(Boolean);
  return [hexOf(style.backgroundColor)].filter(Boolean);
}

function hexOf(color) {
  const [, channels, alpha = "1"] = /^rgba?\((\d+, \d+, \d+)(?:, ([\d.]+))?\)$/.exec(color) ?? [];
  if (!channels || Number(alpha) === 0) return "";
  return `#${channels.split(", ").map((one) => Number(one).toString(16).padStart(2, "0")).join("")}`;
}

// Nested controls.

const CONTROL_SELECTOR = "a[href], button, input:not([type=hidden]), select, textarea, summary, [draggable=true], [tabindex]:not([tabindex^='-']), " +
  PRESS_ATTRIBUTES.map((name) => `[${name}], `).join("") +
  "[contenteditable]:not([contenteditable=false i]), " +
  [...CONTROLS].filter((role) => role !== "listbox").map((role) => `[role=${role}]`).join();

function isInnerControl(element) {
  return pressed.has(element) || fits(element, CONTROL_SELECTOR);
}

// The controls in an element, without those nested in other controls.
function innerControls(element) {
  if (tagOf(element) === "SELECT") return [];
  const inner = anyPressed ? [...allIn(element, "*")].filter(isInnerControl) : [...allIn(element, CONTROL_SELECTOR)];
  if (!inner.length) return inner;
  const all = new Set(inner.filter(isShown));
  return [...all].filter((one) => {
    for (let node = parentNodeOf(one); node && node !== element; node = parentNodeOf(node)) if (all.has(node)) return false;
    return true;
  });
}

function holdsControls(element) {
  return innerControls(element).length > 0;
}

function countControls(element) {
  const inner = anyPressed ? [...allIn(element, "*")].filter(isInnerControl) : allIn(element, CONTROL_SELECTOR);
  return inner.length + (isInnerControl(element) ? 1 : 0);
}

// The elements that can be pressed in a part of the page, including its shadow roots.
function pressable(root) {
  const found = [];
  for (const element of allIn(root, "*")) {
    if (isInnerControl(element) && isShown(element)) found.push(element);
    if (rootOf(element)) found.push(...pressable(rootOf(element)));
  }
  return root instanceof Element && rootOf(root) ? [...found, ...pressable(rootOf(root))] : found;
}
