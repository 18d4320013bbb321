// The visible texts of a page, found without anything of the package: text nodes with a box that is
// not clipped away, what style sheets add, and what fields show. Each comes with its element.
(() => {
  const texts = [];
  const parentOf = (node) => node.assignedSlot ?? (node.parentNode instanceof ShadowRoot ? node.parentNode.host : node.parentNode);
  const around = function* (node) {
    for (let element = node; element instanceof Element; element = parentOf(element)) yield element;
  };

  const isSeenThrough = (element) => [...around(element)].every((one) => {
    const style = getComputedStyle(one);
    const details = one.parentElement?.tagName === "DETAILS" ? one.parentElement : null;
    const isFolded = details && !details.open && one !== details.querySelector(":scope > summary");
    return Number(style.opacity) > 0 && style.contentVisibility !== "hidden" && !isFolded;
  });

  // The part of a box that no element around it clips away; null for none.
  const unclipped = (box, element) => {
    let { left, top, right, bottom } = box;
    let position = "static"; // of what is inside, if it is out of the flow
    for (const one of around(element)) {
      const style = getComputedStyle(one);
      if (position === "fixed") break;
      const escapes = position === "absolute" && style.position === "static" && style.transform === "none" && style.contain === "none";
      if (escapes) continue;
      const clips = style.display !== "contents" && style.display !== "inline" && one !== document.body && one !== document.documentElement;
      const { left: l, top: t, right: r, bottom: b } = one.getBoundingClientRect();
      const isClip = (overflow, size) => clips && (/hidden|clip/.test(overflow) || /auto|scroll/.test(overflow) && size < 2);
      if (isClip(style.overflowX, r - l)) [left, right] = [Math.max(left, l), Math.min(right, r)];
      if (isClip(style.overflowY, b - t)) [top, bottom] = [Math.max(top, t), Math.min(bottom, b)];
      if (/inset\((50%|100%)/.test(style.clipPath) || style.position !== "static" && /^rect\(0/.test(style.clip)) return null;
      position = /absolute|fixed/.test(style.position) ? style.position : /relative|sticky/.test(style.position) ? "static" : position;
    }
    return right - left > 1 && bottom - top > 1 ? { right, bottom } : null;
  };
  const isLaidOut = (boxes, element) => [...boxes].some((box) =>
    box.width >= 1 && box.height >= 1 && box.right + scrollX > 0 && box.bottom + scrollY > 0 && unclipped(box, element));
  const contentBoxes = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getClientRects();
  };
  const isReadable = (style) => style.visibility === "visible" && parseFloat(style.fontSize) >= 1 && !/, 0\)$/.test(style.color);

  const note = (text) => { if (/[\p{L}\p{N}]/u.test(text)) texts.push(text.replace(/\s+/g, " ").trim()); };

  const visitText = (node) => {
    const element = parentOf(node);
    if (!node.data.trim() || element.tagName === "DETAILS" && !element.open) return;
    if (isReadable(getComputedStyle(element)) && isSeenThrough(element) && isLaidOut(contentBoxes(node), element)) note(node.data);
  };

  const fieldText = (field) => {
    if (field.tagName === "SELECT") return [...field.selectedOptions].map((option) => option.label).join(" ");
    if (/^(checkbox|radio|range|color|file|hidden|image)$/.test(field.type)) return "";
    const face = { submit: "Submit", reset: "Reset" }[field.type];
    if (face) return field.hasAttribute("value") ? field.value : face;
    return field.type === "password" && field.value ? "" : field.value || field.placeholder || "";
  };

  const generatedText = (element, which) => {
    const style = getComputedStyle(element, which);
    const shown = style.display !== "none" && Number(style.opacity) > 0 && isReadable(style) && /^[^/]*$/.test(style.content);
    return shown ? [...style.content.matchAll(/"([^"]*)"/g)].map(([, text]) => text).join("") : "";
  };

  const visit = (node) => {
    if (node.nodeType === Node.TEXT_NODE) visitText(node);
    if (node.nodeType !== Node.ELEMENT_NODE || /^(SCRIPT|STYLE|TEMPLATE|IFRAME|VIDEO|CANVAS|OBJECT|METER|PROGRESS)$/i.test(node.tagName)) return;
    const style = getComputedStyle(node);
    if (style.display === "none") return;
    const boxes = style.display === "contents" ? contentBoxes(node) : node.getClientRects();
    const isShown = style.visibility === "visible" && isSeenThrough(node) && isLaidOut(boxes, node);
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName)) {
      if (isShown) note(fieldText(node));
      return;
    }
    if (isShown && node instanceof HTMLElement) for (const which of ["::before", "::after"]) note(generatedText(node, which));
    const slotted = node.tagName === "SLOT" ? node.assignedNodes() : [];
    for (const one of slotted.length ? slotted : (node.shadowRoot ?? node).childNodes) visit(one);
  };
  visit(document.body);
  return texts;
})()
