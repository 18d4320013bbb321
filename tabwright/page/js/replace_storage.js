// Replaces the localStorage of the page's origin, if the page is of one of these origins.
function replaceStorage(origins) {
  try {
    for (const [origin, items] of JSON.parse(origins)) {
      if (origin !== location.origin) continue;
      localStorage.clear();
      for (const [name, value] of items) localStorage.setItem(name, value);
    }
  } catch {
    // the page has no storage
  }
  return "";
}
