// The wrapper around the other files of this folder: one function that gives a document its number
// and its library, in a world that the page's own scripts cannot see. A document that comes back
// within a session of CDP keeps its number.
function install(number, session) {
  "use strict";
  // An element with this id or name would be found under a string (HTML, "named access on the
  // Window object"), also in our world.
  const INSTALLED = Symbol.for("tabwright");
  const own = globalThis[INSTALLED];
  if (own?.session === session) return own.number;
  if (own) return Object.assign(own, { number, session }).number;
  /* library */
  const listed = (request) => {
    const { frames: holders, record } = outline(request);
    return { ...record, owners: holders.map(numberOf), hosts: possibleHosts().length, shadows: newShadowRoots().length };
  };
  globalThis[INSTALLED] = {
    number, session, listed, located, checked, accept, isVisible: isVisibleMatch, readAll, ready, disarm, focusOn, focused: () => focused, held, setValue, shownValue, options, choose, listOf, chooseOption, fieldsNamed, sending, send, unsent, scroll,
    selectionEnds, selectPassage,
    quiet, stirred, shows, changed, place: () => ({ url: location.href, title: clean(propertyOf(document, "title")).slice(0, 300) }), hold: (number) => found(number).element ?? null,
    frames: () => matching(document, "iframe, frame").filter(isShown).map(numberOf), hosts: possibleHosts, learnRoots, root: () => document, takeShadowRoots, learnListeners, frameBox, over, carries, extent,
    fieldValues, blacken, restore, uncovered, drawAsDots, uncoverAll, rememberPicture, pointOfPicture, boxesInView,
    describedElement, describedCandidates,
  };
  watchSubmissions();
  stopCaret();
  return number;

  // A blinking caret is painted twice a second, and every tab keeps its caret: tabs are emulated as
  // focused. The page can see this style sheet, and remove it.
  function stopCaret() {
    const style = new CSSStyleSheet();
    style.replaceSync(":where(:root) { caret-animation: manual; }");
    document.adoptedStyleSheets.push(style);
  }
}
