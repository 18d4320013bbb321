// What keeps the values of fields out of pictures: a field is black for a while, in whatever way its
// page shows it. `filter` turns all that is drawn in it black, and `clip-path` keeps that in its box.

const BLACK = {
  "background-color": "#000", "background-image": "none", "background-clip": "border-box",
  "color": "transparent", "-webkit-text-fill-color": "transparent", "text-shadow": "none",
  "filter": "brightness(0)", "clip-path": "inset(0)",
  "transition-property": "none", "print-color-adjust": "exact",
};
const VALUES_MAX = 2000;
const VALUE_MAX = 10000;

let blackened = [];

// What each field shows; null where that is too much to be told. Passwords are dots anyway.
function fieldValues() {
  const fields = fieldsOf(document).filter((field) => propertyOf(field, "type") !== "password");
  return { fields: fields.map((field, place) => {
    const value = place < VALUES_MAX ? shownIn(field) : null;
    return { ref: numberOf(field), value: value === null || value.length > VALUE_MAX ? null : value };
  }) };
}

function shownIn(field) {
  if (tagOf(field) === "SELECT") return [...propertyOf(field, "selectedOptions")].map((one) => one.text).join("\n");
  return String(propertyOf(field, "value") ?? propertyOf(field, "innerText") ?? "");
}

// Fields by their numbers are black until `restore`; comes back once they are drawn so.
async function blacken(numbers) {
  for (const { element } of numbers.map(found)) {
    if (!element) continue;
    const had = hasAttributeOf(element, "style");
    const before = Object.keys(BLACK).map((name) => (
      [name, propertyOf(element, "style").getPropertyValue(name), propertyOf(element, "style").getPropertyPriority(name)]));
    blackened.push({ element, had, before });
    for (const [name, value] of Object.entries(BLACK)) propertyOf(element, "style").setProperty(name, value, "important");
  }
  for (let frame = 0; frame <= QUIET_FRAMES; frame += 1) await nextFrame();
  return true;
}

function restore() {
  for (const { element, had, before } of blackened.reverse()) {
    for (const [name, value, priority] of before) propertyOf(element, "style").setProperty(name, value, priority);
    if (!had) invoke(element, "removeAttribute", "style");
  }
  blackened = [];
  return true;
}
