// Returns the localStorage of the page's origin as pairs; null if it is too large or unavailable.
function readStorage() {
  const CHARACTERS_MAX = 500_000;
  const found = [];
  let characters = 0;
  try {
    for (const name of Object.keys(localStorage)) {
      const value = localStorage.getItem(name);
      characters += name.length + value.length;
      if (characters > CHARACTERS_MAX) return JSON.stringify({ localStorage: null });
      found.push([name.toWellFormed(), value.toWellFormed()]);
    }
  } catch {
    return JSON.stringify({ localStorage: null });
  }
  return JSON.stringify({ origin: location.origin, localStorage: found });
}
