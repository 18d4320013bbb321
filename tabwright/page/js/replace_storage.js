// Replaces what the page's origin keeps in localStorage, if the page is of one of these origins.
function replaceStorage(origins) {
  try {
    for (const [origin, items] of JSON.parse(origins)) {
      if (origin !== location.origin) continue;
      localStorage.clear();
      for (const [name, value] of items) localStorage.setItem(name, value);
    }
  } catch {
    // the page may not keep anything
  }
  return "";
}
