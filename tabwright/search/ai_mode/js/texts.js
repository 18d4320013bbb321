// The texts of elements.

function squeeze(text) {
  return text.replace(/\s+/g, " ").trim();
}

function bareText(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data.trim();
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(BUTTON)) return "";
  if (node.matches(UNREAD)) return "";
  return Array.from(kidsOf(node), bareText).join("");
}

// The texts of an element, one for each line box that it would have if it were shown, and one for
// the given part of it.
function unitsOf(element, part = null) {
  const units = [""];
  const read = (node) => {
    if (node.nodeType === Node.TEXT_NODE) units[units.length - 1] += node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    if (node !== element && (node.matches(UNREAD) || node.matches(BUTTON))) return;
    const style = styleOf(node);
    if (node !== element && style.display === "none") return;
    const isLine = !isInline(style) || node === part;
    if (isLine) units.push("");
    kidsOf(node).forEach(read);
    if (isLine) units.push("");
  };
  read(element);
  return units.map(squeeze).filter(Boolean);
}

// The text of a node, except what is in `left`.
function textWithout(left) {
  const textOf = remembered((node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.trim();
    if (node.nodeType !== Node.ELEMENT_NODE || left.has(node) || isHidden(node)) return "";
    if (node.matches(UNREAD) || node.matches(BUTTON)) return "";
    return Array.from(kidsOf(node), textOf).join("");
  });
  return textOf;
}
