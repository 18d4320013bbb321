// Selects text, as a person does by dragging the mouse over it.

// A passage of a text field, as the positions where it begins and ends.
function passageOfField(element, text) {
  const value = propertyOf(element, "value") ?? "";
  const start = text ? value.indexOf(text) : 0;
  return start < 0 ? null : { field: element, start, end: text ? start + text.length : value.length };
}

// A passage of the visible text of an element, as a range. Any white space matches any other.
function passageOfText(element, text) {
  const range = new Range();
  range.selectNodeContents(element);
  if (!text) return { range };
  const wanted = clean(text);
  const walker = invoke(document, "createTreeWalker", element, NodeFilter.SHOW_TEXT);
  let whole = "";
  const places = []; // of each character of `whole`
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!propertyOf(node, "parentElement") || !isShown(propertyOf(node, "parentElement"))) continue;
    for (let at = 0; at < node.data.length; at += 1) {
      const sign = /\s/.test(node.data[at]) ? " " : node.data[at];
      if (sign === " " && whole.endsWith(" ")) continue;
      whole += sign;
      places.push([node, at]);
    }
  }
  const start = whole.indexOf(wanted);
  if (start < 0) return null;
  range.setStart(...places[start]);
  const [last, at] = places[start + wanted.length - 1];
  range.setEnd(last, at + 1);
  return { range };
}

function passage(element, text) {
  return typeof propertyOf(element, "setSelectionRange") === "function" ? passageOfField(element, text) : passageOfText(element, text);
}

// The points at which the mouse is pressed and released to select a passage, from the top left
// corner of the element's box.
function selectionEnds(number, text) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const wanted = passage(element, text);
  if (!wanted) return { problem: "no such text", detail: describe(element) };
  if (wanted.field) return { what: describe(element) };
  const holder = wanted.range.startContainer;
  invoke(holder instanceof Element ? holder : propertyOf(holder, "parentElement"), "scrollIntoView", { block: "center", inline: "nearest", behavior: "instant" });
  const boxes = [...wanted.range.getClientRects()].filter((box) => box.width && box.height);
  if (!boxes.length) return { problem: "hidden", detail: describe(element) };
  getSelection().removeAllRanges(); // a press on selected text would drag it
  const corner = boxOf(element), first = boxes[0], last = boxes.at(-1);
  return {
    what: describe(element),
    start: { x: first.left + 1 - corner.x, y: first.top + first.height / 2 - corner.y },
    end: { x: last.right - 1 - corner.x, y: last.top + last.height / 2 - corner.y },
  };
}

// Selects a passage exactly, and returns the resulting selection: a page may have prevented it.
function selectPassage(number, text) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const wanted = passage(element, text);
  if (!wanted) return { problem: "no such text", detail: describe(element) };
  if (wanted.field) {
    invoke(element, "focus", { preventScroll: true });
    try {
      invoke(element, "setSelectionRange", wanted.start, wanted.end);
    } catch { // number, email
      invoke(element, "select");
    }
    return { what: describe(element), length: wanted.end - wanted.start };
  }
  const { range } = wanted;
  getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
  return { what: describe(element), length: String(getSelection()).length };
}
