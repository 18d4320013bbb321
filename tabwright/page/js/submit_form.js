// Fills in and submits a form of the page, as a person would. The values are a JSON object of lists
// by name. Forms in frames and shadow roots are counted in the order of the page.
function submitForm(url, index, id, values) {
  // The fields of a form shadow its own properties.
  const propertyOf = (target, name) => Reflect.get(Object.getPrototypeOf(target), name, target);
  const formsIn = (root) => {
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const inner = propertyOf(node, "shadowRoot");
      if (inner) found.push(...formsIn(inner));
      if (propertyOf(node, "localName") === "form") found.push(node);
      try {
        if (propertyOf(node, "localName") === "iframe") found.push(...formsIn(node.contentDocument));
      } catch {
        // another site's
      }
    }
    return found;
  };
  const page = (address) => address.split("#")[0];
  const form = formsIn(document)[Number(index)];
  if (page(location.href) !== page(url) || !form || propertyOf(form, "id") !== id) return "missing";
  const fields = [...propertyOf(form, "elements")];
  const given = JSON.parse(values);
  const changed = (field) => {
    for (const type of ["input", "change"]) {
      field.dispatchEvent(new Event(type, { bubbles: true }));
    }
  };
  for (const [name, wanted] of Object.entries(given)) {
    const left = [...wanted];
    for (const field of fields) {
      if (field.name !== name) continue;
      if (field.type === "checkbox" || field.type === "radio") {
        field.checked = wanted.includes(field.value);
      } else if (field instanceof HTMLSelectElement) {
        for (const option of field.options) option.selected = wanted.includes(option.value);
      } else if (field.type !== "file") {
        field.value = left.shift() ?? "";
      }
      changed(field);
    }
  }
  const button = fields.find((field) => field.type === "submit" && !field.disabled);
  const isValidated = !propertyOf(form, "noValidate") && !(button && propertyOf(button, "formNoValidate"));
  const wrong = isValidated && fields.find((field) => field.matches(":invalid:not(fieldset)"));
  if (wrong) {
    const [label] = propertyOf(wrong, "labels") ?? [];
    return `invalid: ${label?.textContent.trim() || propertyOf(wrong, "name")}: ${propertyOf(wrong, "validationMessage")}`;
  }
  setTimeout(() => propertyOf(form, "requestSubmit").call(form, button), 0);
  return "submitted";
}
