// Puts the focus into the field for the next question; answers "ready" or "missing".
//
// `closedRoots`: as in look.js.
function compose(...closedRoots) {
  const fields = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches("textarea, [contenteditable=true], [contenteditable=plaintext-only]")) {
        fields.push(element);
      }
      if (element.shadowRoot) collect(element.shadowRoot);
    }
  };
  // A field of no size is a trap: the feedback form lies hidden inside the answer.
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

  [document, ...closedRoots].forEach(collect);
  const candidates = fields.filter(usable);
  const plate = candidates.find((field) => field.closest('[data-xid="aim-mars-input-plate"]'));
  const composer = plate ?? candidates.at(-1);
  if (!composer) return "missing";
  composer.focus();
  return "ready";
}
