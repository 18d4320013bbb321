// Gives a page back what its origin kept in localStorage, unless it keeps something there by now, and
// in sessionStorage.
function restoreStorage(origins, ofSession) {
  if (self !== top) return;
  const restore = (kept, all) => {
    try {
      for (const [origin, items] of all) {
        if (origin !== location.origin || kept().length) continue;
        for (const [name, value] of items) kept().setItem(name, value);
      }
    } catch {
      // the page may not keep anything
    }
  };
  restore(() => localStorage, origins);
  restore(() => sessionStorage, ofSession);
}
