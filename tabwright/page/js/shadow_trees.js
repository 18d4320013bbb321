// Past the fields of a form and the names of images, which hide properties of it and the document.
const propertyOf = (target, name) => Reflect.get(Object.getPrototypeOf(target), name, target);
const call = (target, name, ...given) => propertyOf(target, name).apply(target, given);
const isRendered = (element) => call(element, "checkVisibility", { visibilityProperty: true });
// The part of the document that is read.
const rootOf = (part) => propertyOf(document, part === "body" ? "body" : "documentElement");
// The shadow roots below a node, outermost first.
const shadowRootsOf = (node) => {
  const found = [];
  for (let root = node, next = 0; root; root = found[next++]) {
    const walker = propertyOf(document, "createTreeWalker").call(document, root, NodeFilter.SHOW_ELEMENT);
    for (let element = walker.currentNode; element; element = walker.nextNode()) {
      const inner = propertyOf(element, "shadowRoot");
      if (inner) found.push(inner);
    }
  }
  return found;
};
// The frames in a node, and then those in its shadow roots.
const framesOf = (node, roots = shadowRootsOf(node)) =>
  [node, ...roots].flatMap((root) => [...propertyOf(root, "querySelectorAll").call(root, "iframe")]);
