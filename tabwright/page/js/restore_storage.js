// Gives a page back what its origin kept in localStorage, unless it keeps something there by now.
function restoreStorage(origins) {
  if (self !== top) return;
  try {
    for (const [origin, items] of origins) {
      if (origin !== location.origin || localStorage.length) continue;
      for (const [name, value] of items) localStorage.setItem(name, value);
    }
  } catch {
    // the page may not keep anything
  }
}
