// The composed tree: shadow roots, open and closed, with the nodes in their slots.

const closed = new Map(closedRoots.map((root) => [root.host, root]));

function shadowOf(element) {
  return closed.get(element) ?? element.shadowRoot;
}

function kidsOf(node) {
  const assigned = node.localName === "slot" ? node.assignedNodes({ flatten: true }) : [];
  return assigned.length ? assigned : (shadowOf(node) ?? node).childNodes;
}

function parentOf(node) {
  const parent = node.assignedSlot ?? node.parentNode;
  return parent?.host ?? parent;
}

function descendants(node, found = []) {
  for (const kid of kidsOf(node)) {
    if (kid.nodeType !== Node.ELEMENT_NODE) continue;
    found.push(kid);
    descendants(kid, found);
  }
  return found;
}

function within(element, ancestors) {
  for (let node = element; node; node = parentOf(node)) if (ancestors.has(node)) return true;
  return false;
}

function outermost(elements) {
  const inside = (one) => elements.some((other) => other !== one && other.contains(one));
  return elements.filter((one) => !inside(one));
}

function everyRoot(root = document, found = []) {
  found.push(root);
  for (const element of root.querySelectorAll("*")) {
    const shadow = shadowOf(element);
    if (shadow) everyRoot(shadow, found);
  }
  return found;
}
