// Shadow roots of the page by their hosts, the only way into a closed one.
const shadows = new Map();

function shaded(host, mode) {
  shadows.set(host, host.attachShadow({ mode }));
  return shadows.get(host);
}

// A deep copy in new nodes, including shadow roots.
function renewed(node) {
  const copy = node.cloneNode(false);
  node.childNodes.forEach((kid) => copy.appendChild(renewed(kid)));
  const shadow = shadows.get(node);
  if (shadow) shaded(copy, shadow.mode).append(...Array.from(shadow.childNodes, renewed));
  return copy;
}
