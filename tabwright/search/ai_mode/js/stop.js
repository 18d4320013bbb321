// Stops an answer that is still being written; returns "stopped", or "quiet" if there is none.
function stop() {
  const mark = document.querySelector('[data-xid="ljhwxf"]');
  if (!mark?.checkVisibility({ visibilityProperty: true })) return "quiet";
  const button = mark.closest("button") ?? mark.querySelector("button") ?? mark;
  button.click();
  return "stopped";
}
