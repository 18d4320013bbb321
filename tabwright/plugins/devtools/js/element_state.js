// Returns the state of an element, and the data for its locators, as JSON.
function elementState(element) {
  "use strict";
  // The fields of a form shadow its own properties.
  const propertyOf = (target, name) => Reflect.get(Object.getPrototypeOf(target), name, target);
  const attributeOf = (target, name) => Element.prototype.getAttribute.call(target, name);
  const parentOf = (target) => propertyOf(target, "parentElement");
  const TEXT_MAX = 20_000;
  const clean = (text) => (text ?? "").replace(/\s+/g, " ").trim();
  const tag = propertyOf(element, "localName");
  const root = Node.prototype.getRootNode.call(element);
  const aria = attributeOf(element, "aria-checked");
  const checkable = tag === "input" && ["checkbox", "radio"].includes(element.type);
  const checked = checkable ? element.checked : aria === null ? null : aria === "true";
  const isField = ["input", "textarea", "select"].includes(tag);
  const value = tag === "select" ? [...element.selectedOptions].map((one) => clean(one.label)).join(", ")
    : isField ? element.value : propertyOf(element, "isContentEditable") ? propertyOf(element, "innerText") : "";
  const matches = (selector) => {
    try { return propertyOf(root, "querySelectorAll").call(root, selector).length; } catch { return 0; }
  };
  const css = () => {
    const own = propertyOf(element, "id");
    const id = own && `#${CSS.escape(own)}`;
    if (id && matches(id) === 1) return id;
    const parts = [];
    for (let one = element; one; one = parentOf(one)) {
      const [name, parent] = [propertyOf(one, "localName"), parentOf(one)];
      const alike = parent ? [...propertyOf(parent, "children")].filter((other) => propertyOf(other, "localName") === name) : [];
      const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(one) + 1})` : "";
      parts.unshift(CSS.escape(name) + place);
      if (matches(parts.join(" > ")) === 1) break;
      const above = parent && propertyOf(parent, "id") && `#${CSS.escape(propertyOf(parent, "id"))}`;
      if (above && matches(above) === 1) {
        parts.unshift(above);
        break;
      }
    }
    return parts.join(" > ");
  };
  const unique = (name) => {
    const given = attributeOf(element, name) ?? "";
    return given && matches(`[${name}="${CSS.escape(given)}"]`) === 1 ? given : "";
  };
  return JSON.stringify({
    value: String(value).toWellFormed(),
    checked,
    text: clean(propertyOf(element, "innerText") ?? propertyOf(element, "textContent")).slice(0, TEXT_MAX).toWellFormed(),
    testId: unique("data-testid").toWellFormed(),
    placeholder: unique("placeholder").toWellFormed(),
    css: css().toWellFormed(),
  });
}
