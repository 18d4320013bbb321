// Changes localStorage or sessionStorage of the page, and returns what it contains then, as pairs.
function webStorage(area, request) {
  "use strict";
  const CHARACTERS_MAX = 500_000;
  try {
    const storage = area === "session" ? sessionStorage : localStorage;
    const { clear, removed, put } = JSON.parse(request);
    if (clear) storage.clear();
    for (const name of removed) storage.removeItem(name);
    for (const [name, value] of put) storage.setItem(name, value);
    const items = [];
    let characters = 0;
    for (let index = 0; index < storage.length; index++) {
      const name = storage.key(index);
      const value = storage.getItem(name) ?? "";
      characters += name.length + value.length;
      if (characters > CHARACTERS_MAX) return JSON.stringify({ webStorage: [], problem: "large" });
      items.push([name.toWellFormed(), value.toWellFormed()]);
    }
    return JSON.stringify({ webStorage: items, origin: location.origin });
  } catch (error) {
    return JSON.stringify({ webStorage: [], problem: error.name === "QuotaExceededError" ? "full" : "denied" });
  }
}
