// Reads a property even if a field of a form, or the name of an image, shadows it.
const propertyOf = (target, name) => Reflect.get(Object.getPrototypeOf(target), name, target);
const call = (target, name, ...given) => propertyOf(target, name).apply(target, given);
// The part of the document that is read.
const rootOf = (part) => propertyOf(document, part === "body" ? "body" : "documentElement");

// The closed shadow roots known to our world, which only the browser can access: the root of each
// host, as long as the document lives; and the elements that may have one, for one reading of the
// document.
const closed = (globalThis[Symbol.for("tabwright.closed")] ??= { roots: new WeakMap(), hosts: new Set(), kinds: new Map(), asked: new Set(), characters: 0 });
// These are read for every element, so their getters are looked up once.
const getter = (prototype, name) => {
  const own = Object.getOwnPropertyDescriptor(prototype, name).get;
  return (target) => own.call(target);
};
const openRootOf = getter(Element.prototype, "shadowRoot");
const isRendered = (element) => checkVisibility.call(element, { visibilityProperty: true });
const shadowOf = (element) => openRootOf(element) ?? closed.roots.get(element);

/* possible hosts */

// The shadow roots below a node, outermost first.
const shadowRootsOf = (node) => {
  const found = [];
  const visit = (element) => {
    const inner = shadowOf(element);
    if (inner) found.push(inner);
    else if (mayHost(element)) closed.hosts.add(element);
  };
  if (propertyOf(node, "nodeType") === Node.ELEMENT_NODE) visit(node);
  for (let root = node, next = 0; root; root = found[next++]) {
    const walker = propertyOf(document, "createTreeWalker").call(document, root, NodeFilter.SHOW_ELEMENT);
    for (let element = walker.nextNode(); element; element = walker.nextNode()) visit(element);
  }
  return found;
};
// The frames in a node, and then those in its shadow roots.
const framesOf = (node, roots = shadowRootsOf(node)) =>
  [node, ...roots].flatMap((root) => [...propertyOf(root, "querySelectorAll").call(root, "iframe")]);
