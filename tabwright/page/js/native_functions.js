// The DOM's own functions, taken before anything is asked of the page: a form's fields stand in the
// way of its own (HTML, [LegacyOverrideBuiltIns]), so `form.getAttribute` may be an input.

const method = (prototype, name) => {
  const own = prototype[name];
  return (target, ...values) => own.apply(target, values);
};

const getter = (prototype, name) => {
  const own = Object.getOwnPropertyDescriptor(prototype, name).get;
  return (target) => own.call(target);
};

const attributeOf = method(Element.prototype, "getAttribute");
const hasAttributeOf = method(Element.prototype, "hasAttribute");
const fits = method(Element.prototype, "matches");
const around = method(Element.prototype, "closest");
const allWithin = method(Element.prototype, "querySelectorAll");
const isVisible = method(Element.prototype, "checkVisibility");
const rectOf = method(Element.prototype, "getBoundingClientRect");
const rectsOf = method(Element.prototype, "getClientRects");
const tagOf = getter(Element.prototype, "tagName");
const parentNodeOf = getter(Node.prototype, "parentNode");
const childrenOf = getter(Node.prototype, "childNodes");
const kindOf = getter(Node.prototype, "nodeType");
const elementSlotOf = getter(Element.prototype, "assignedSlot");
const textSlotOf = getter(Text.prototype, "assignedSlot");

function slotOf(node) {
  if (node instanceof Element) return elementSlotOf(node);
  return node instanceof Text ? textSlotOf(node) : null;
}
