// Keeps the values of fields out of pictures: a field is black for a while, regardless of its
// style. `filter` turns all that is drawn in it black, and `clip-path` confines that to its box.

const BLACK = {
  "background-color": "#000", "background-image": "none", "background-clip": "border-box",
  "color": "transparent", "-webkit-text-fill-color": "transparent", "text-shadow": "none",
  "filter": "brightness(0)", "clip-path": "inset(0)",
  "transition-property": "none", "print-color-adjust": "exact",
};
const VALUES_MAX = 2000;
const VALUE_MAX = 10000;

let blackened = [];

// The text that each field shows; null if it is too long. Passwords are dots anyway.
function fieldValues() {
  const fields = fieldsOf(document).filter((field) => propertyOf(field, "type") !== "password");
  return { fields: fields.map((field, place) => {
    const value = place < VALUES_MAX ? shownIn(field) : null;
    return { ref: numberOf(field), value: value === null || value.length > VALUE_MAX ? null : value };
  }) };
}

function shownIn(field) {
  if (tagOf(field) === "SELECT") return [...propertyOf(field, "selectedOptions")].map((one) => one.text).join("\n");
  return String(propertyOf(field, "value") ?? propertyOf(field, "innerText") ?? "");
}

// Makes the fields with these numbers black until `restore`; returns once this is drawn.
async function blacken(numbers) {
  for (const { element } of numbers.map(found)) {
    if (!element) continue;
    const had = hasAttributeOf(element, "style");
    const before = Object.keys(BLACK).map((name) => (
      [name, propertyOf(element, "style").getPropertyValue(name), propertyOf(element, "style").getPropertyPriority(name)]));
    blackened.push({ element, had, before });
    for (const [name, value] of Object.entries(BLACK)) propertyOf(element, "style").setProperty(name, value, "important");
  }
  for (let frame = 0; frame <= QUIET_FRAMES; frame += 1) await nextFrame();
  return true;
}

function restore() {
  for (const { element, had, before } of blackened.reverse()) {
    for (const [name, value, priority] of before) propertyOf(element, "style").setProperty(name, value, priority);
    if (!had) invoke(element, "removeAttribute", "style");
  }
  blackened = [];
  return true;
}

// Keeps secrets out of the live picture: text that contains one is drawn as dots while the page is
// watched. Only elements that are not covered yet are listed. Text stays listed until `drawAsDots`
// reports which of it is secret, because the answer to `uncovered` may have been lost.

const DOTS = { "-webkit-text-security": "disc", "transition-property": "none" };
const TEXTS_MAX = 2000000;

let candidates = [];
let dotted = new Map();
let newTexts = null;
let listedTexts = new Set();
let textObserver = null;

function uncovered() {
  const fields = fieldsOf(document).filter((field) => propertyOf(field, "type") !== "password" && !isDotted(field));
  const items = fields.map((field) => [field, shownIn(field), numberOf(field)]).filter(([, text]) => text !== "");
  let length = 0;
  listedTexts = new Set([...listedTexts, ...textsSinceLast()]);
  for (const element of listedTexts) {
    if (!isConnectedElement(element) || isDotted(element)) continue;
    const text = ownText(element);
    length += text.length;
    if (length > TEXTS_MAX) break;
    items.push([element, text, 0]);
  }
  candidates = items.map(([element]) => element);
  return { items: items.map(([, text, ref]) => ({ text: text.toWellFormed(), ref })), at: Date.now() / 1000 };
}

function isConnectedElement(element) {
  return propertyOf(element, "isConnected");
}

function isDotted(element) {
  return dotted.has(element) && propertyOf(element, "style").getPropertyValue("-webkit-text-security") === "disc";
}

function ownText(element) {
  return [...propertyOf(element, "childNodes")].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("");
}

// The elements with text of their own, at the first call all, and then those with new text.
function textsSinceLast() {
  if (textObserver === null) {
    newTexts = new Set();
    textObserver = new MutationObserver(noteTexts);
    textObserver.observe(document, { subtree: true, childList: true, characterData: true });
    noteTextsIn(document);
  }
  noteTexts(textObserver.takeRecords());
  const found = newTexts;
  newTexts = new Set();
  return found;
}

function noteTexts(records) {
  for (const { target, addedNodes } of records) {
    noteText(target);
    addedNodes.forEach(noteTextsIn);
  }
}

function noteTextsIn(root) {
  noteText(root);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) noteText(walker.currentNode);
}

function noteText(node) {
  const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : null;
  if (element !== null && !["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE"].includes(tagOf(element))) newTexts.add(element);
}

// Draws the candidates at these indexes as dots; returns once this is drawn.
async function drawAsDots(places) {
  listedTexts = new Set();
  if (places.length === 0) return true;
  for (const element of places.map((place) => candidates[place])) {
    if (!element) continue;
    const style = propertyOf(element, "style");
    if (!dotted.has(element)) {
      dotted.set(element, [hasAttributeOf(element, "style"), Object.keys(DOTS).map((name) => [name, style.getPropertyValue(name), style.getPropertyPriority(name)])]);
    }
    for (const [name, value] of Object.entries(DOTS)) style.setProperty(name, value, "important");
    if (tagOf(element) === "SELECT") style.setProperty("-webkit-text-fill-color", "transparent", "important");
  }
  for (let frame = 0; frame <= QUIET_FRAMES; frame += 1) await nextFrame();
  return true;
}

function uncoverAll() {
  textObserver?.disconnect();
  textObserver = null;
  for (const [element, [had, before]] of dotted) {
    const style = propertyOf(element, "style");
    if (tagOf(element) === "SELECT") style.removeProperty("-webkit-text-fill-color");
    for (const [name, value, priority] of before) style.setProperty(name, value, priority);
    if (!had && propertyOf(element, "style").length === 0) invoke(element, "removeAttribute", "style");
  }
  dotted = new Map();
  return true;
}
