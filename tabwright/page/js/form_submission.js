// How a form is submitted: with the button that a person would press, or without one.

const controlsOf = getter(HTMLFormElement.prototype, "elements");
const submit = method(HTMLFormElement.prototype, "requestSubmit");

// The form of a field: its form owner, or the form around it, through every shadow root.
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

// {form}: whether the field has a form; {button}: the visible button that submits it; {enter}:
// whether Enter in the field submits it; {problem}: set if an invalid field prevents it.
function sending(number) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const enter = fits(element, "input") && isEditable(element) && !TIME_FIELDS.has(propertyOf(element, "type"));
  const form = formOf(element);
  if (!form) return { enter };
  const button = sendersOf(form).find(isShown);
  const wrong = invalidOf(form, button);
  if (wrong) return { problem: "invalid", detail: problemOf(wrong) };
  return { form: true, enter, button: button ? numberOf(button) : 0, what: button ? describe(button) : "" };
}

// The field that keeps a form from being submitted (HTML, section 4.10.21.2).
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

// The latest press of a button that submits a form, or of Enter if the form has no button, and the
// first field that kept the form from being submitted.
let attempt = null;

function watchSubmissions() {
  addEventListener("click", (event) => {
    if (!event.isTrusted) return;
    const button = event.composedPath().find((one) => one instanceof Element && fits(one, "button, input") && ["submit", "image"].includes(propertyOf(one, "type")));
    const form = button && formOf(button);
    attempt = form ? { event, form, wrong: null } : null;
  }, { capture: true });
  addEventListener("pointerdown", () => { attempt = null; }, { capture: true });
  addEventListener("keydown", (event) => {
    if (!event.isTrusted) return;
    const field = event.composedPath()[0];
    const form = event.key === "Enter" && field instanceof HTMLInputElement && formOf(field);
    attempt = form && !sendersOf(form).length ? { event, form, wrong: null } : null;
  }, { capture: true });
  addEventListener("invalid", (event) => {
    const field = event.composedPath()[0];
    if (attempt && field instanceof Element && formOf(field) === attempt.form) attempt.wrong ??= field;
  }, { capture: true });
  addEventListener("submit", () => { attempt = null; }, { capture: true });
}

// Why the browser did not submit the form after the latest press; "" if it did, or if the page
// handled the press itself. Reported only once.
function unsent() {
  const { event, wrong } = attempt ?? {};
  attempt = null;
  return wrong && !event.defaultPrevented && fits(wrong, ":invalid") ? problemOf(wrong) : "";
}

function problemOf(field) {
  return `${describe(field)}: ${propertyOf(field, "validationMessage")}`;
}
