// The document's current source as a JSON string; with `part` "body", only the content of its body.
// If the page is used for actions (`inUse`), its fields have the values that they show; if it was
// scrolled through (`isScrolled`), its virtual lists have the gathered rows.
function readSource(inUse, part, isScrolled) {
  const CHARACTERS_MAX = 8000000;
  const FRAMES_MAX = 50;

  /* shadow trees */
  /* marked copies */
  closed.hosts.clear();

  // In the copy of a page that is used for actions, each field has the value that it shows.
  const FIELDS = "input, textarea, select";
  const UNSEEN = new Set(["password", "hidden", "file", "button", "submit", "reset", "image", "checkbox", "radio"]);
  const giveValues = (root, copy) => {
    const copies = [...copy.querySelectorAll(FIELDS)];
    [...call(root, "querySelectorAll", FIELDS)].forEach((field, place) => giveValue(field, copies[place]));
  };
  const giveValue = (field, copy) => {
    if (field.tagName === "SELECT") {
      [...field.options].forEach((option, place) => copy.options[place].toggleAttribute("selected", option.selected));
    } else if (field.tagName === "TEXTAREA") {
      copy.textContent = field.value;
    } else if (field.type === "checkbox" || field.type === "radio") {
      copy.toggleAttribute("checked", field.checked);
    } else if (!UNSEEN.has(field.type) && field.value !== field.defaultValue) {
      copy.setAttribute("value", field.value);
    }
  };

  // Gathered rows are used only if their list has not changed since. They are kept, because a page
  // with closed shadow roots is read twice.
  const gathered = new Map(isScrolled ? globalThis[Symbol.for("tabwright.gathered")] : []);
  const isUnchanged = (list, { texts, scroller, size }) => {
    const isKnown = (row) => !isRendered(row) || texts.has(textOfRow(row));
    return propertyOf(scroller, "scrollHeight") === size && [...propertyOf(list, "children")].every(isKnown);
  };
  const putRows = (root, copy) => {
    if (!gathered.size) return;
    const copies = call(copy, "querySelectorAll", "*");
    [...call(root, "querySelectorAll", "*")].forEach((list, place) => {
      const rows = gathered.get(list);
      if (!rows || !isUnchanged(list, rows)) return;
      const clones = rows.copies.flatMap((row) => [call(row, "cloneNode", true), "\n"]); // rows can be inline
      call(copies[place], "replaceChildren", ...clones);
      gathered.delete(list);
    });
  };
  const sourceOf = (root, roots) => (root ? markedCopyOf(root, roots, inUse ? giveValues : putRows).outerHTML : "");
  const shownIn = (frame) => {
    try {
      const { URL, body } = frame.contentDocument ?? {};
      if (!body || !frame.checkVisibility() || framesOf(body).length) return "";
      if (URL === "about:blank" && !body.hasChildNodes()) return "";
      return sourceOf(body).slice(0, CHARACTERS_MAX).toWellFormed();
    } catch {
      return "";
    }
  };

  // A frame of another site, or with frames of its own, that is large enough to be read. Frames
  // without an address are often made for advertisements, and stay blank.
  const SIDE_MIN = 50;
  const LARGE_SIDE = 400; // most videos and advertisements are lower or narrower
  const isApart = (frame) => {
    const { width, height } = frame.getBoundingClientRect();
    if (Math.min(width, height) <= SIDE_MIN || !frame.checkVisibility()) return false;
    try {
      const inside = frame.contentDocument;
      const isBlank = inside?.URL === "about:blank";
      return !isBlank || /^https?:/.test(frame.src) || framesOf(inside.documentElement).length > 0;
    } catch {
      return true;
    }
  };
  const apartAt = (frame, place) => {
    const { width, height } = frame.getBoundingClientRect();
    const deferred = frame.loading === "lazy" && frame.contentDocument?.URL === "about:blank";
    const still = frame.hasAttribute("sandbox") && !frame.sandbox.contains("allow-scripts");
    return { place, url: frame.src, large: Math.min(width, height) >= LARGE_SIDE, deferred, still };
  };

  const THIN_CHARACTERS = 200; // a page that shows fewer may have its content in a frame
  const body = propertyOf(document, "body");
  const text = () => (body?.innerText ?? "").trim(); // lays the page out, so only if it is asked for
  const root = rootOf(part);
  const roots = root ? shadowRootsOf(root) : []; // scripts can remove the element of the document
  const isBlank = () =>
    !text() && !roots.length && !body?.querySelector("audio, canvas, embed, iframe, img, input, object, svg, video");
  const html = sourceOf(root, roots);
  const frames = root ? framesOf(root, roots) : [];
  const shown = frames.slice(0, FRAMES_MAX).map(shownIn);
  const apart = frames.flatMap((frame, place) => (!shown[place] && isApart(frame) ? [apartAt(frame, place)] : []));
  return JSON.stringify({
    url: location.href,
    charset: propertyOf(document, "characterSet"),
    html: html.slice(0, CHARACTERS_MAX).toWellFormed(),
    cut: html.length > CHARACTERS_MAX,
    hosts: closed.hosts.size,
    gone: gathered.size,
    frames: shown,
    apart,
    thin: apart.length > 0 && text().length < THIN_CHARACTERS,
    blank: part === "body" && (!root || isBlank()),
  });
}
