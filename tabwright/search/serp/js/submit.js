// Fills in a form of the page and submits it, as Enter would; returns "submitted", or "missing" if
// there is no such form.
//
// `selector`: of the form. `fields`: JSON of values by name; one that the form does not have is
// added to it.
function submit(selector, fields) {
  const form = document.querySelector(selector);
  if (!(form instanceof HTMLFormElement)) return "missing";
  const added = (name) => {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    return form.appendChild(input);
  };
  for (const [name, value] of Object.entries(JSON.parse(fields))) {
    const field = form.elements.namedItem(name) ?? added(name);
    const options = field instanceof HTMLSelectElement ? [...field.options] : null;
    if (options && !options.some((option) => option.value === value)) field.add(new Option(value, value));
    field.value = value;
  }
  setTimeout(() => form.requestSubmit()); // later, so that the return value is not lost
  return "submitted";
}
