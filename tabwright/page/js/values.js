// The value and the state of a control.

// Whole, with its lines.
function valueOf(element, role) {
  switch (role) {
    case "password":
      return propertyOf(element, "value") ? "•••" : "";
    case "checkbox": case "radio": case "switch": case "button":
      return "";
    case "file":
      return [...propertyOf(element, "files") ?? []].map((file) => file.name).join(", ");
    case "combobox": case "listbox":
      if (tagOf(element) === "SELECT") {
        return [...propertyOf(element, "selectedOptions")].map((option) => clean(option.label)).join(", ");
      }
      if (typeof propertyOf(element, "value") === "string") return propertyOf(element, "value");
      return attributeOf(element, "aria-valuetext") ?? "";
    case "spinbutton":
      if (isFormControl(element)) return propertyOf(element, "value");
      return clean(attributeOf(element, "aria-valuetext") ?? attributeOf(element, "aria-valuenow") ?? propertyOf(element, "innerText"));
    case "slider": case "scrollbar": case "progressbar": case "meter":
      return clean(attributeOf(element, "aria-valuetext") ?? attributeOf(element, "aria-valuenow") ?? String(propertyOf(element, "value") ?? ""));
    default:
      if (typeof propertyOf(element, "value") === "string" && isFormControl(element)) return propertyOf(element, "value");
      return isEditingHost(element) ? propertyOf(element, "innerText") ?? "" : "";
  }
}

const WHOLE_VALUE_MAX = 200000;

// A value as in an outline: in one line and shortened, or whole if requested.
function listedValue(value, whole) {
  const text = whole ? value : clean(value);
  const most = whole ? WHOLE_VALUE_MAX : NAME_MAX;
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…(+${text.length - most} characters)` : text.toWellFormed();
}

const WITH_STATE = ["checked", "readonly", "required", "invalid", "selected", "pressed", "current", "expanded"]
  .map((name) => `[aria-${name}]`).join();

function statesOf(element, role) {
  const states = [];
  const aria = fits(element, WITH_STATE) ? (name) => attributeOf(element, `aria-${name}`) : () => null;
  const checked = tagOf(element) === "INPUT" ? propertyOf(element, "checked") : null;
  if (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(role)) {
    if (propertyOf(element, "indeterminate") || aria("checked") === "mixed") states.push("mixed");
    else if (checked ?? aria("checked") === "true") states.push("checked");
  }
  if (isDisabled(element)) states.push("disabled");
  if (propertyOf(element, "readOnly") || aria("readonly") === "true") states.push("readonly");
  if (propertyOf(element, "required") || aria("required") === "true") states.push("required");
  if (aria("invalid") && aria("invalid") !== "false") states.push("invalid");
  if (aria("selected") === "true") states.push("selected");
  if (aria("pressed") === "true") states.push("pressed");
  if (aria("current") && aria("current") !== "false") states.push("current");
  const expanded = role === "disclosure" ? String(around(element, "details")?.open ?? false) : aria("expanded");
  if (expanded === "true") states.push("expanded");
  if (expanded === "false") states.push("collapsed");
  if (element === propertyOf(rootNodeOf(element), "activeElement")) states.push("focused");
  return states;
}

function isFormControl(element) {
  return propertyOf(element, "form") !== undefined;
}

function isDisabled(element) {
  return fits(element, ":disabled") || around(element, "[aria-disabled='true'], [inert]") !== null;
}
