// Reads the state that a document would lose with its tab, or restores it and returns in words what
// could not be restored. This script does not run in the page's world, so its functions are the
// browser's.
async function pageState(wanted) {
  "use strict";
  const FIELDS_MAX = 1000;
  const SCROLLED_MAX = 20;
  const CHARACTERS_MAX = 500_000;
  const PATIENCE_MS = 1000;
  const PAUSE_MS = 50;
  const FIELDS = "input, textarea, select";
  const UNKEPT = ["button", "file", "hidden", "image", "reset", "submit"];

  const query = (root, selector) => {
    const { prototype } = root.nodeType === Node.DOCUMENT_NODE ? Document : DocumentFragment;
    return [...prototype.querySelectorAll.call(root, selector)];
  };
  // The document, the open shadow roots in it, and the frames of its origin.
  const roots = (root) => [root, ...query(root, "*").flatMap((element) => {
    if (element.shadowRoot?.nodeType === Node.DOCUMENT_FRAGMENT_NODE) return roots(element.shadowRoot);
    const framed = element.localName === "iframe" ? element.contentDocument : null;
    return framed ? roots(framed) : [];
  })];
  const signature = (field) => [field.localName, field.type, field.name, field.id].join(" ");
  // A site that can show a password changes the type of its field, but names what belongs in it.
  const isSecret = (field) => {
    const names = (field.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/);
    return field.type === "password" || names.some((name) => /^(?:(?:current|new)-password|one-time-code|cc-.+)$/.test(name));
  };
  const isTicked = (field) => field.type === "checkbox" || field.type === "radio";
  const listed = () => roots(document).flatMap((root) => query(root, FIELDS)).filter((field) => !UNKEPT.includes(field.type));
  const valueOf = (field) => {
    if (field.localName === "select") return [...field.options].map((option) => option.selected);
    return isTicked(field) ? field.checked : field.value;
  };
  const initialOf = (field) => {
    if (field.localName === "select") {
      const marked = [...field.options].map((option) => option.defaultSelected);
      if (!field.multiple && field.size < 2 && !marked.includes(true)) marked[[...field.options].findIndex((option) => !option.disabled)] = true;
      return marked;
    }
    return isTicked(field) ? field.defaultChecked : field.defaultValue;
  };
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const scrollable = () => [document.scrollingElement, ...roots(document).flatMap((root) => query(root, "*"))].filter(Boolean);

  const read = async () => {
    const lost = [];
    const fields = [];
    let characters = 0;
    listed().forEach((field, index) => {
      const value = valueOf(field);
      if (same(value, initialOf(field))) return;
      characters += typeof value === "string" ? value.length : 0;
      if (fields.length >= FIELDS_MAX || characters > CHARACTERS_MAX) {
        if (!lost.includes("form fields")) lost.push("form fields");
        return;
      }
      fields.push({ index, signature: signature(field), value: typeof value === "string" ? value.toWellFormed() : value, secret: isSecret(field) });
    });
    const scrolled = [];
    scrollable().forEach((element, index) => {
      const isScrolled = [element.scrollTop, element.scrollLeft].some((far) => typeof far === "number" && far);
      if (isScrolled && scrolled.length < SCROLLED_MAX) {
        scrolled.push({ index, name: element.localName, top: element.scrollTop, left: element.scrollLeft });
      }
    });
    let session = [];
    try {
      session = Object.keys(sessionStorage).map((name) => [name.toWellFormed(), sessionStorage.getItem(name).toWellFormed()]);
      if (JSON.stringify(session).length > CHARACTERS_MAX) {
        session = [];
        lost.push("sessionStorage");
      }
      if ((await indexedDB.databases()).length) lost.push("IndexedDB");
    } catch {
      // the page has no storage
    }
    return { url: location.href, origin: location.origin, session, lost, webStorage: JSON.stringify({ fields, scrolled }) };
  };

  const put = (field, value) => {
    if (field.localName === "select") {
      if (value.length !== field.options.length) return;
      [...field.options].forEach((option, index) => { option.selected = value[index]; });
    } else if (isTicked(field)) {
      field.checked = value;
    } else {
      field.value = value;
    }
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const fieldOf = ({ index, signature: wanted }) => {
    const fields = listed();
    if (fields[index] && signature(fields[index]) === wanted) return fields[index];
    const alike = fields.filter((field) => signature(field) === wanted);
    return alike.length === 1 ? alike[0] : null;
  };
  const restore = async ({ fields, scrolled }) => {
    const until = performance.now() + PATIENCE_MS;
    let open = fields;
    let places = scrolled;
    for (;;) {
      open = open.filter((one) => {
        const field = fieldOf(one);
        if (field && !same(valueOf(field), one.value)) put(field, one.value);
        return !field || !same(valueOf(field), one.value);
      });
      places = places.filter(({ index, name, top, left }) => {
        const element = scrollable()[index];
        if (element?.localName !== name) return true;
        element.scrollTo({ top, left, behavior: "instant" });
        return Math.abs(element.scrollTop - top) > 2 || Math.abs(element.scrollLeft - left) > 2;
      });
      if (!(open.length || places.length) || performance.now() > until) break;
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
    const lost = [];
    if (open.length) lost.push("form fields");
    if (places.length) lost.push("scroll position");
    return { url: location.href, lost, webStorage: "" };
  };

  return JSON.stringify(wanted ? await restore(JSON.parse(wanted)) : await read());
}
