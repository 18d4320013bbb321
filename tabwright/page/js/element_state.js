// Returns the state of an element, and what it can be found by, as JSON.
function elementState(element) {
  "use strict";
  const TEXT_MAX = 20_000;
  const clean = (text) => (text ?? "").replace(/\s+/g, " ").trim();
  const tag = element.localName;
  const root = element.getRootNode();
  const aria = element.getAttribute("aria-checked");
  const checkable = tag === "input" && ["checkbox", "radio"].includes(element.type);
  const checked = checkable ? element.checked : aria === null ? null : aria === "true";
  const isField = ["input", "textarea", "select"].includes(tag);
  const value = tag === "select" ? [...element.selectedOptions].map((one) => clean(one.label)).join(", ")
    : isField ? element.value : element.isContentEditable ? element.innerText : "";
  const matches = (selector) => {
    try { return root.querySelectorAll(selector).length; } catch { return 0; }
  };
  const css = () => {
    const id = element.id && `#${CSS.escape(element.id)}`;
    if (id && matches(id) === 1) return id;
    const parts = [];
    for (let one = element; one && one.nodeType === 1; one = one.parentElement) {
      const alike = one.parentElement ? [...one.parentElement.children].filter((other) => other.localName === one.localName) : [];
      const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(one) + 1})` : "";
      parts.unshift(CSS.escape(one.localName) + place);
      if (matches(parts.join(" > ")) === 1) break;
      const above = one.parentElement?.id && `#${CSS.escape(one.parentElement.id)}`;
      if (above && matches(above) === 1) {
        parts.unshift(above);
        break;
      }
    }
    return parts.join(" > ");
  };
  const unique = (name) => {
    const given = element.getAttribute(name) ?? "";
    return given && matches(`[${name}="${CSS.escape(given)}"]`) === 1 ? given : "";
  };
  return JSON.stringify({
    value: String(value).toWellFormed(),
    checked,
    text: clean(element.innerText ?? element.textContent).slice(0, TEXT_MAX).toWellFormed(),
    testId: unique("data-testid").toWellFormed(),
    placeholder: unique("placeholder").toWellFormed(),
    css: css().toWellFormed(),
  });
}
