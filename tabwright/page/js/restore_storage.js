// Restores the localStorage and the sessionStorage of a page's origin, each only if it is empty.
function restoreStorage(origins, ofSession) {
  if (self !== top) return;
  const restore = (kept, all) => {
    try {
      for (const [origin, items] of all) {
        if (origin !== location.origin || kept().length) continue;
        for (const [name, value] of items) kept().setItem(name, value);
      }
    } catch {
      // the page has no storage
    }
  };
  restore(() => localStorage, origins);
  restore(() => sessionStorage, ofSession);
}
