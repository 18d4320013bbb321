// The document's current source as a JSON string; with `part` "body", only the content of its body.
// If the page is used for actions (`inUse`), its fields have the values that they show.
function readSource(inUse, part) {
  const CHARACTERS_MAX = 8000000;
  const FRAMES_MAX = 50;

  /* shadow trees */
  closed.hosts.clear();

  // A copy of a tree of a page. In it, elements that are not rendered are `hidden`, inline elements
  // that are laid out as blocks are set apart by spaces, and canvases and fields have the content
  // that they show. It belongs to a document of its own, so that nothing in it is run or loaded,
  // and the page does not see the marks.
  const inert = propertyOf(document, "implementation").createHTMLDocument("");
  const copyOf = (root) => {
    if (propertyOf(root, "nodeType") === Node.ELEMENT_NODE) return inert.importNode(root, true);
    const copy = inert.createDocumentFragment(); // shadow roots cannot be imported
    copy.append(...[...propertyOf(root, "childNodes")].map((node) => inert.importNode(node, true)));
    return copy;
  };
  // Adds copies of hosts to `hosts`.
  const withMarks = (root, { unseen, blocks }, hosts) => {
    const copy = copyOf(root);
    emptyLongScripts(copy);
    if (unseen.size || blocks.size || hosts.size) {
      const copies = copy.querySelectorAll("*");
      [...call(root, "querySelectorAll", "*")].forEach((element, place) => {
        if (unseen.has(element)) copies[place].setAttribute("hidden", "");
        if (blocks.has(element)) setApart(copies[place]);
        if (hosts.has(element)) hosts.set(element, copies[place]);
      });
      if (hosts.has(root)) hosts.set(root, copy);
    }
    const canvases = copy.querySelectorAll("canvas");
    [...call(root, "querySelectorAll", "canvas")].forEach((canvas, place) => {
      const drawn = drawingOf(canvas);
      if (drawn !== null) canvases[place].setAttribute("data-drawn", drawn);
      else canvases[place].removeAttribute("data-drawn");
    });
    return inUse ? withValues(root, copy) : copy;
  };

  // Inline libraries and data can be longer than all text of a page. Of a long script, only a sign
  // that the page loads its content later is kept, because the page is judged by it. JSON-LD is
  // content.
  const SCRIPT_CHARACTERS_MAX = 500000;
  const emptyLongScripts = (copy) => {
    for (const script of copy.querySelectorAll("script:not([type='application/ld+json' i]), style")) {
      const text = script.textContent;
      if (text.length > SCRIPT_CHARACTERS_MAX) script.textContent = BUILDERS.exec(text)?.[0] ?? "";
    }
  };
  const isSpace = (node) => node.nodeType === Node.TEXT_NODE && !node.data.trim();
  const setApart = (copy) => {
    if (copy.hasAttribute("slot")) return copy.append(" "); // its neighbours are elsewhere
    // At the edge of an inline element, its neighbours are those of the inline element.
    const isInInline = INLINE.has(copy.parentElement?.localName);
    if (copy.previousSibling ? !isSpace(copy.previousSibling) : isInInline) copy.before(" ");
    if (copy.nextSibling ? !isSpace(copy.nextSibling) : isInInline) copy.after(" ");
  };

  // The content of a canvas as the data URL of a picture; null if it shows nothing or is not
  // rendered, and empty if the page drew a picture of another site in it (HTML, section
  // 4.12.5.1.22), or if it would exceed the limit for the drawings of the whole page with its
  // frames.
  let canvasesLeft = 8;
  let drawingCharactersLeft = 1000000;
  const CANVAS_SIDE_MIN = 50;
  const DRAWING_SIDE_MAX = 1024;
  const DRAWING_QUALITY = 0.85;
  const drawingOf = (canvas) => {
    const shown = call(canvas, "getBoundingClientRect");
    if (Math.min(shown.width, shown.height) < CANVAS_SIDE_MIN || !isRendered(canvas)) return null;
    const width = propertyOf(canvas, "width"), height = propertyOf(canvas, "height");
    if (!width || !height) return null;
    if (!canvasesLeft) return "";
    canvasesLeft -= 1;
    const scale = Math.min(1, DRAWING_SIDE_MAX / Math.max(width, height));
    const drawing = propertyOf(document, "implementation").createHTMLDocument("").createElement("canvas");
    Object.assign(drawing, { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
    try {
      const context = drawing.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0, drawing.width, drawing.height);
      const pixels = new Uint32Array(context.getImageData(0, 0, drawing.width, drawing.height).data.buffer);
      if (pixels.every((pixel) => pixel === pixels[0])) return null;
      context.globalCompositeOperation = "destination-over";
      context.fillStyle = "white";
      context.fillRect(0, 0, drawing.width, drawing.height);
      const picture = drawing.toDataURL("image/jpeg", DRAWING_QUALITY);
      if (picture.length > drawingCharactersLeft) return "";
      drawingCharactersLeft -= picture.length;
      return picture;
    } catch {
      return "";
    }
  };

  // The effect of styles on text: `blocks`, and `unseen` elements, whose text no style shows,
  // outermost first. Panels that a control on the page shows are not among these; and there are
  // none if most of the page is hidden, as while it loads.
  const NOT_TEXT = "head, script, style, template, noscript, datalist, title, option, optgroup, svg *, math, math *";
  const CONTROLS = "[aria-controls], [popovertarget], [data-target], [data-bs-target], a[href^='#']";
  const POPUPS = "dialog, [role=dialog], [role=alertdialog], [role=menu]";
  const FAR = 500;
  const HIDDEN_SHARE = 3;
  let elementsLeft = 50000;
  const looksOf = (trees) => {
    const unseen = new Set();
    const blocks = new Set();
    const inShadows = shadowCharactersOf(trees);
    let characters = 0;
    for (const root of trees) {
      const elements = [...call(root, "querySelectorAll", "*")];
      elementsLeft -= elements.length;
      if (elementsLeft < 0) return { unseen: new Set(), blocks };
      const around = new Set();
      for (const element of elements) {
        if (!isRendered(element)) continue;
        for (let one = element; one && !around.has(one); one = propertyOf(one, "parentElement")) around.add(one);
      }
      const controlled = new Set();
      for (const control of call(root, "querySelectorAll", CONTROLS)) {
        for (const name of ["aria-controls", "popovertarget", "data-target", "data-bs-target", "href"]) {
          for (const id of (call(control, "getAttribute", name) ?? "").split(/\s+/)) controlled.add(id.replace(/^#/, ""));
        }
      }
      const within = new Set();
      for (const element of elements) {
        if (within.has(propertyOf(element, "parentElement"))) { within.add(element); continue; }
        const style = getComputedStyle(element);
        if (isBlock(element, style)) blocks.add(element);
        const isOut = around.has(element) ? isOutOfSight(element, style) : style.display === "none" || /hidden|collapse/.test(style.visibility);
        if (!isOut || call(element, "matches", NOT_TEXT) || call(element, "querySelector", "math")) continue;
        const length = propertyOf(element, "textContent").trim().length + (inShadows.get(element) ?? 0);
        const id = propertyOf(element, "id");
        const isPanel = call(element, "matches", "[role=tabpanel]") || id && controlled.has(id) && !isMenu(element, length);
        if (!length || isPanel && !call(element, "matches", POPUPS)) continue;
        unseen.add(element);
        within.add(element);
        characters += length;
      }
    }
    const [root] = trees;
    const all = propertyOf(root, "textContent").length + (inShadows.get(root) ?? 0);
    return { unseen: characters > HIDDEN_SHARE * (all - characters) ? new Set() : unseen, blocks };
  };
  // Whether an element is inline by its name and a block by its style, as in a flex container, so
  // that the words around it are not one word. Initials float, and the letters of a word can have
  // an element each, so both are excluded.
  const INLINE = new Set("a abbr b bdi bdo button cite code data del dfn em i ins kbd label mark q s samp small span strong time u var".split(" "));
  const isBlock = (element, { display, position, float, whiteSpace }) => {
    const name = localNameOf(element);
    if (!(INLINE.has(name) || isCustom(name)) || /^(inline|none|contents|ruby)/.test(display)) return false;
    if (/absolute|fixed/.test(position) || float !== "none" || whiteSpace.startsWith("pre")) return false;
    return !/^\s*\p{L}\s*$/u.test(propertyOf(element, "textContent"));
  };
  // The number of characters in the shadow roots below an element, if any.
  const shadowCharactersOf = ([outer, ...roots]) => {
    const inShadows = new Map();
    const add = (node, more) => inShadows.set(node, (inShadows.get(node) ?? 0) + more);
    for (const inner of roots.toReversed()) {
      const more = propertyOf(inner, "textContent").trim().length + (inShadows.get(inner) ?? 0);
      for (let one = propertyOf(inner, "host"); one; one = one === outer ? null : propertyOf(one, "parentNode")) add(one, more);
    }
    return inShadows;
  };
  const isMenu = (element, length) =>
    2 * [...call(element, "querySelectorAll", "a")].reduce((sum, link) => sum + propertyOf(link, "textContent").trim().length, 0) >= length;
  // A text for screen readers, such as "Loading", stays on the page after the event that it
  // announces.
  const LIVE = "[aria-live], [role=alert], [role=log], [role=status]";
  const isClipped = ({ overflow, clip, clipPath }) => overflow !== "visible" && (clip !== "auto" || clipPath !== "none");
  const isAnnouncement = (element, style) => {
    if (!isClipped(style) || !call(element, "matches", LIVE)) return false;
    const { width, height } = call(element, "getBoundingClientRect");
    return Math.min(width, height) <= 1;
  };
  // Letters of no size, announcements, and elements far outside of the page.
  const isOutOfSight = (element, style) => {
    if (isAnnouncement(element, style)) return true;
    const isLeaf = !propertyOf(element, "childElementCount");
    if (isLeaf && style.fontSize === "0px") return true;
    if (Number.parseFloat(style.textIndent) < -FAR) return isLeaf;
    if (style.position !== "absolute" && style.position !== "fixed") return false;
    const box = call(element, "getBoundingClientRect");
    return box.right + scrollX < -FAR || box.bottom + scrollY < -FAR;
  };

  // In the copy of a page that is used for actions, each field has the value that it shows: as an
  // attribute for the reader of forms, and as text next to it for the reader of text.
  const FIELDS = "input, textarea, select";
  const UNSEEN = new Set(["password", "hidden", "file", "button", "submit", "reset", "image", "checkbox", "radio"]);
  const withValues = (root, copy) => {
    const copies = [...copy.querySelectorAll(FIELDS)];
    [...call(root, "querySelectorAll", FIELDS)].forEach((field, place) => giveValue(field, copies[place]));
    return copy;
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
    const text = field.tagName === "SELECT" ? [...field.selectedOptions].map((one) => one.label).join(", ") : field.value;
    if (!text || UNSEEN.has(field.type) || !field.checkVisibility({ visibilityProperty: true })) return;
    const shown = copy.ownerDocument.createElement(text.includes("\n") ? "pre" : "samp");
    shown.textContent = text;
    (copy.closest("label") ?? copy).after(" ", shown);
  };
  // Shadow roots become templates in the copies of their hosts (HTML, section 4.12.3).
  const sourceOf = (root, roots = shadowRootsOf(root)) => {
    if (!root) return "";
    const hosts = new Map(roots.map((inner) => [propertyOf(inner, "host"), null]));
    const looks = looksOf([root, ...roots]);
    const copy = withMarks(root, looks, hosts);
    for (const inner of roots) {
      const template = inert.createElement("template");
      template.setAttribute("shadowrootmode", propertyOf(inner, "mode"));
      template.content.append(withMarks(inner, looks, hosts));
      hosts.get(propertyOf(inner, "host")).prepend(template);
    }
    return copy.outerHTML;
  };
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
  const roots = shadowRootsOf(root);
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
    frames: shown,
    apart,
    thin: apart.length > 0 && text().length < THIN_CHARACTERS,
    blank: part === "body" && (!root || isBlank()),
  });
}
