// Fills a form of the page in and sends it, as a person would. The values are a JSON object of
// lists by name. Frames and shadow roots have forms too, which count as they stand on the page.
function submitForm(url, index, id, values) {
  const formsIn = (root) => {
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.shadowRoot) found.push(...formsIn(node.shadowRoot));
      if (node.localName === "form") found.push(node);
      try {
        if (node.localName === "iframe") found.push(...formsIn(node.contentDocument));
      } catch {
        // another site's
      }
    }
    return found;
  };
  const page = (address) => address.split("#")[0];
  const form = formsIn(document)[Number(index)];
  if (page(location.href) !== page(url) || !form || form.id !== id) return "missing";
  const given = JSON.parse(values);
  const changed = (field) => {
    for (const type of ["input", "change"]) {
      field.dispatchEvent(new Event(type, { bubbles: true }));
    }
  };
  for (const [name, wanted] of Object.entries(given)) {
    const left = [...wanted];
    for (const field of form.elements) {
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
  const button = [...form.elements].find((field) => field.type === "submit" && !field.disabled);
  setTimeout(() => (button ? form.requestSubmit(button) : form.requestSubmit()), 0);
  return "submitted";
}
