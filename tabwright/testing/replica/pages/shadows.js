// Shadow roots of the page, by their hosts: into a closed one, nothing else leads.
const shadows = new Map();

function shaded(host, mode) {
  shadows.set(host, host.attachShadow({ mode }));
  return shadows.get(host);
}

// The same once more in new nodes, shadow roots included.
function renewed(node) {
  const copy = node.cloneNode(false);
  node.childNodes.forEach((kid) => copy.appendChild(renewed(kid)));
  const shadow = shadows.get(node);
  if (shadow) shaded(copy, shadow.mode).append(...Array.from(shadow.childNodes, renewed));
  return copy;
}
