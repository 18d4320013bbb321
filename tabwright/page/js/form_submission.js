// How a form is sent: by the button of it that a person would press, or without one.

const controlsOf = getter(HTMLFormElement.prototype, "elements");
const submit = method(HTMLFormElement.prototype, "requestSubmit");

// The form of a field: one that names it, or one that it stands in, through every shadow root.
function formOf(element) {
  for (let node = element; node; node = parentOf(node)) {
    if (node instanceof HTMLFormElement) return node;
    if (propertyOf(node, "form") instanceof HTMLFormElement) return propertyOf(node, "form");
  }
  return null;
}

function sendersOf(form) {
  const images = allIn(form, "input[type=image]");
  return [...[...controlsOf(form)].filter((one) => propertyOf(one, "type") === "submit"), ...images];
}

// {form} says whether the field has one, {button} which of its buttons can be seen, {enter} whether
// the field itself takes Enter for sending; {problem} that another field stands in the way.
function sending(number) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const enter = fits(element, "input") && isEditable(element) && !TIME_FIELDS.has(propertyOf(element, "type"));
  const form = formOf(element);
  if (!form) return { enter };
  const button = sendersOf(form).find(isShown);
  const wrong = invalidOf(form, button);
  if (wrong) return { problem: "invalid", detail: `${describe(wrong)}: ${wrong.validationMessage}` };
  return { form: true, enter, button: button ? numberOf(button) : 0, what: button ? describe(button) : "" };
}

// What keeps a form from being sent (HTML, section 4.10.21.2).
function invalidOf(form, button) {
  if (hasAttributeOf(form, "novalidate") || button && hasAttributeOf(button, "formnovalidate")) return null;
  return [...controlsOf(form)].find((one) => fits(one, ":invalid:not(fieldset)"));
}

function send(number) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const form = formOf(element);
  submit(form, sendersOf(form).find((one) => !isDisabled(one)) ?? null);
  return {};
}
