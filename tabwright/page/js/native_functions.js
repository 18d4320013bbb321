// The DOM's own functions, looked up on the prototypes: the fields of a form shadow its properties
// (HTML, [LegacyOverrideBuiltIns]), so `form.getAttribute` may be an input, and the names of images
// and forms shadow those of the document. So no property of the document, or of an element that may
// be a form, is read with a dot.

const propertyOf = (target, name) => Reflect.get(Object.getPrototypeOf(target), name, target);
const invoke = (target, name, ...values) => propertyOf(target, name).apply(target, values);

// A method with at most one argument.
const method = (prototype, name) => {
  const own = prototype[name];
  return (target, value) => own.call(target, value);
};

const getter = (prototype, name) => {
  const own = Object.getOwnPropertyDescriptor(prototype, name).get;
  return (target) => own.call(target);
};

const ofDocument = (name) => {
  const own = Object.getOwnPropertyDescriptor(Document.prototype, name).get;
  return () => own.call(document);
};

const body = ofDocument("body");
const documentElement = ofDocument("documentElement");
const styleSheets = ofDocument("styleSheets");
const getAnimations = Document.prototype.getAnimations;
const animations = () => getAnimations.call(document);

const queriesOf = (root) => (root instanceof Element ? elementQueries : root instanceof Document ? documentQueries : fragmentQueries);
const [elementQueries, documentQueries, fragmentQueries] = [Element, Document, DocumentFragment]
  .map(({ prototype }) => ({ all: prototype.querySelectorAll, first: prototype.querySelector }));
const allIn = (root, selector) => queriesOf(root).all.call(root, selector);
const firstIn = (root, selector) => queriesOf(root).first.call(root, selector);

const attributeOf = method(Element.prototype, "getAttribute");
const hasAttributeOf = method(Element.prototype, "hasAttribute");
const fits = method(Element.prototype, "matches");
const around = method(Element.prototype, "closest");
const isVisible = method(Element.prototype, "checkVisibility");
const borderBoxOf = method(Element.prototype, "getBoundingClientRect");
const borderBoxesOf = method(Element.prototype, "getClientRects");
const attributesOf = getter(Element.prototype, "attributes");
const tagOf = getter(Element.prototype, "tagName");
const parentNodeOf = getter(Node.prototype, "parentNode");
const isAround = method(Node.prototype, "contains"); // in the same tree
const rootNodeOf = method(Node.prototype, "getRootNode");
const childrenOf = getter(Node.prototype, "childNodes");
const kindOf = getter(Node.prototype, "nodeType");
const textContentOf = getter(Node.prototype, "textContent");
const elementsOf = getter(Element.prototype, "children");
const elementSlotOf = getter(Element.prototype, "assignedSlot");
const textSlotOf = getter(Text.prototype, "assignedSlot");
const shadowRootOf = getter(Element.prototype, "shadowRoot");

function slotOf(node) {
  if (node instanceof Element) return elementSlotOf(node);
  return node instanceof Text ? textSlotOf(node) : null;
}

// What was read of the layout while it cannot change; null while it can.
let layoutRead = null;

// Returns what `read` returns. It must not change the page: each element is measured only once.
function withFixedLayout(read) {
  layoutRead = { rects: new Map(), shown: new Map(), clickable: new Map() };
  try {
    return read();
  } finally {
    layoutRead = null;
  }
}

function readOnce(map, element, read) {
  let value = map.get(element);
  if (value === undefined) map.set(element, value = read(element));
  return value;
}

function rectOf(element) {
  return layoutRead ? readOnce(layoutRead.rects, element, measuredRect) : measuredRect(element);
}

function measuredRect(element) {
  if (tagOf(element) === "AREA") return areaBox(element);
  const box = borderBoxOf(element);
  return box.width || box.height || !hasNoBox(element) ? box : contentBox(element);
}

// Whether an element is rendered as its content only, as slots are.
function hasNoBox(element) {
  return getComputedStyle(element).display === "contents";
}

function contentBox(element) {
  const slotted = tagOf(element) === "SLOT" ? invoke(element, "assignedNodes") : [];
  const range = invoke(document, "createRange");
  if (slotted.length) {
    range.setStartBefore(slotted[0]);
    range.setEndAfter(slotted.at(-1));
  } else range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

function rectsOf(element) {
  const boxes = borderBoxesOf(element);
  return tagOf(element) === "AREA" || !boxes.length && hasNoBox(element) ? [rectOf(element)] : boxes;
}

// The box of an area of an image map, which the browser does not report (HTML, 4.8.14).
function areaBox(area) {
  const map = around(area, "map");
  const image = firstIn(document, `img[usemap="#${CSS.escape(map?.name || map?.id || "")}"]`);
  if (!image) return new DOMRect();
  const whole = borderBoxOf(image);
  const places = (attributeOf(area, "coords") ?? "").split(/[\s,;]+/).map(Number).filter(Number.isFinite);
  if (/^default$/i.test(attributeOf(area, "shape") ?? "") || places.length < 3) return whole;
  if (places.length === 3) {
    const [x, y, radius] = places;
    return new DOMRect(whole.x + x - radius, whole.y + y - radius, 2 * radius, 2 * radius);
  }
  const across = places.filter((_, index) => index % 2 === 0);
  const down = places.filter((_, index) => index % 2 === 1);
  const left = Math.min(...across), top = Math.min(...down);
  return new DOMRect(whole.x + left, whole.y + top, Math.max(...across) - left, Math.max(...down) - top);
}
