// Puts the focus into the field for the next question; returns "ready" or "missing".
//
// `given`: the closed shadow roots of the page, as in page_state.js, and "anywhere" if any field is
// acceptable when the page's own is not found.
function compose(...given) {
  const closedRoots = given.filter((one) => one !== "anywhere");
  const fields = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches("textarea, [contenteditable=true], [contenteditable=plaintext-only]")) {
        fields.push(element);
      }
      if (element.shadowRoot) collect(element.shadowRoot);
    }
  };
  // A field of no size is not the right one: the feedback form is hidden inside the answer.
  const usable = (element) => {
    const box = element.getBoundingClientRect();
    return (
      box.width > 1 &&
      box.height > 1 &&
      !element.disabled &&
      !element.readOnly &&
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.closest("[role=dialog]")
    );
  };

  const plate = document.querySelector('[data-xid="aim-mars-input-plate"]');
  const inPlate = (field) => {
    let node = field;
    while (node && node !== plate) node = node.parentNode ?? node.host;
    return Boolean(plate) && node === plate;
  };

  [document, ...closedRoots].forEach(collect);
  const candidates = fields.filter(usable);
  const anyField = plate && !given.includes("anywhere") ? undefined : candidates.at(-1);
  const composer = candidates.find(inPlate) ?? anyField;
  if (!composer) return "missing";
  composer.focus();
  return "ready";
}
