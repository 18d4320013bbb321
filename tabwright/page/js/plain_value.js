// Returns its `this` as plain data. Values without a JSON form (a date, an error, an element, a big
// integer) become the text that a console shows. Collections become arrays, maps arrays of pairs.
function plainValue() {
  const PAIRED = new Set(["FormData", "Headers", "Map", "Set", "URLSearchParams"]);
  const TEXTUAL = new Set(["DOMException", "Error", "RegExp"]);
  const above = new Set();

  function markup(node) {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.nodeValue ?? node.nodeName;
    const { getAttribute, getAttributeNames } = Element.prototype; // a form can shadow its own
    const names = getAttributeNames.call(node);
    const attributes = names.map((name) => ` ${name}="${getAttribute.call(node, name)}"`);
    return `<${node.localName}${attributes.join("")}>`;
  }

  function data(value) {
    if (value.window === value) return "[Window]";
    if (value instanceof Node) return markup(value);
    if (Array.isArray(value)) return value.map(plain);
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (TEXTUAL.has(kind)) return String(value);
    if (kind === "Date") return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (kind === "Promise") return "[Promise]";
    if (kind === "ArrayBuffer") return Array.from(new Uint8Array(value));
    if (kind === "CSSStyleDeclaration")
      return Object.fromEntries(Array.from(value, (name) => [name, value.getPropertyValue(name)]));
    if (typeof value.toJSON === "function") return plain(value.toJSON());
    if (PAIRED.has(kind) || (typeof value.length === "number" && Symbol.iterator in value))
      return Array.from(value, plain);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
  }

  function plain(value) {
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "symbol") return String(value);
    if (typeof value === "function") return `[Function: ${value.name || "anonymous"}]`;
    if (typeof value !== "object" || value === null) return value;
    if (above.has(value)) return "[Circular]";
    above.add(value);
    const found = data(value);
    above.delete(value);
    return found;
  }

  return plain(this);
}
