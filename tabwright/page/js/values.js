// What a control holds, and in what state it is.

// Whole, with its lines.
function valueOf(element, role) {
  switch (role) {
    case "password":
      return element.value ? "•••" : "";
    case "checkbox": case "radio": case "switch": case "button":
      return "";
    case "file":
      return [...element.files ?? []].map((file) => file.name).join(", ");
    case "combobox": case "listbox":
      if (tagOf(element) === "SELECT") {
        return [...element.selectedOptions].map((option) => clean(option.label)).join(", ");
      }
      return element.value ?? attributeOf(element, "aria-valuetext") ?? "";
    case "slider": case "progressbar": case "meter":
      return clean(attributeOf(element, "aria-valuetext") ?? attributeOf(element, "aria-valuenow") ?? String(element.value ?? ""));
    default:
      if (typeof element.value === "string" && "form" in element) return element.value;
      return isEditingHost(element) ? element.innerText ?? "" : "";
  }
}

const WHOLE_VALUE_MAX = 200000;

// A value as an outline has it: in one line and short, or whole where that is asked for.
function listedValue(value, whole) {
  const text = whole ? value : clean(value);
  const most = whole ? WHOLE_VALUE_MAX : NAME_MAX;
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…(+${text.length - most} characters)` : text.toWellFormed();
}

function statesOf(element, role) {
  const states = [];
  const aria = (name) => attributeOf(element, `aria-${name}`);
  const checked = tagOf(element) === "INPUT" && "checked" in element ? element.checked : null;
  if (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(role)) {
    if (element.indeterminate || aria("checked") === "mixed") states.push("mixed");
    else if (checked ?? aria("checked") === "true") states.push("checked");
  }
  if (isDisabled(element)) states.push("disabled");
  if (element.readOnly || aria("readonly") === "true") states.push("readonly");
  if (element.required || aria("required") === "true") states.push("required");
  if (aria("invalid") && aria("invalid") !== "false") states.push("invalid");
  if (aria("selected") === "true") states.push("selected");
  if (aria("pressed") === "true") states.push("pressed");
  if (aria("current") && aria("current") !== "false") states.push("current");
  const expanded = role === "disclosure" ? String(element.parentElement?.open ?? false) : aria("expanded");
  if (expanded === "true") states.push("expanded");
  if (expanded === "false") states.push("collapsed");
  if (element === element.getRootNode().activeElement) states.push("focused");
  return states;
}

function isDisabled(element) {
  return fits(element, ":disabled") || around(element, "[aria-disabled='true'], [inert]") !== null;
}
