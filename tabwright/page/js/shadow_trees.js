// Past the fields of a form and the names of images, which hide properties of it and the document.
const propertyOf = (target, name) => Reflect.get(Object.getPrototypeOf(target), name, target);
const call = (target, name, ...given) => propertyOf(target, name).apply(target, given);
// The part of the document that is read.
const rootOf = (part) => propertyOf(document, part === "body" ? "body" : "documentElement");

// What our world knows of closed shadow roots, which the browser alone can look into: the root of a
// host, for as long as the document lives; and of one reading of it, the elements that may have one.
const closed = (globalThis.tabwrightClosed ??= { roots: new WeakMap(), hosts: new Set(), kinds: new Map(), asked: new Set(), characters: 0 });
// These are asked of each element, so their functions are looked up once.
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
