// The checks before an action on an element, and the actions that trusted events cannot do.

const UNWRITABLE = "button, select, summary, a[href], [type=checkbox], [type=radio], [type=button], [type=submit], [type=reset], [type=image]";
const TIME_FIELDS = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);

function nextFrame() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => { clearTimeout(timer); resolve(); });
  });
}

function boxOf(element) {
  // For text that wraps, the box of its first line: the middle of the whole box may miss the text.
  const [first] = rectsOf(element);
  const box = rectsOf(element).length > 1 ? first : rectOf(element);
  return { x: box.x, y: box.y, width: box.width, height: box.height };
}

function same(a, b) {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

// Whether the element exists, is visible, in view, not moving, enabled and not covered:
// {point, box} or {problem, detail}.
async function ready(number, request) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const list = closedList(element);
  if (list) return { problem: "closed list", detail: describe(list) };
  const target = request.visible ? clickable(element) : element;
  if (!isShown(target)) return { problem: "hidden", detail: describe(element) };
  if (request.enabled && isDisabled(element)) return { problem: "disabled", detail: describe(element) };
  if (request.editable && (propertyOf(element, "readOnly") || attributeOf(element, "aria-readonly") === "true")) {
    return { problem: "readonly", detail: describe(element) };
  }
  if (self === top && !request.still) bringIntoView(target);
  if (self !== top && !request.still && !await inSight(target)) {
    invoke(target, "scrollIntoView", { block: "center", inline: "center", behavior: "instant" });
    return { problem: "out of view", detail: describe(element) }; // the outer page must scroll
  }
  const box = boxOf(target);
  if (request.rests) await nextFrame();
  if (!propertyOf(target, "isConnected")) return { problem: "gone", detail: known.get(number).is };
  const later = boxOf(target);
  if (!same(box, later)) return { problem: "moving", detail: describe(element) };
  if (!later.width || !later.height) return { problem: "no size", detail: describe(element) };
  const middle = { x: later.x + later.width / 2, y: later.y + later.height / 2 };
  const open = request.hits && !request.at ? openPoint(later, element, target) : null;
  const point = request.at ? { x: later.x + request.at[0], y: later.y + request.at[1] } : open ?? middle;
  if (request.hits) {
    const top = elementAt(point.x, point.y);
    if (!top) return { problem: "out of view", detail: describe(element) };
    if (!reaches(top, element, target)) {
      const ignoresMouse = getComputedStyle(target).pointerEvents === "none";
      return ignoresMouse ? { problem: "ignores mouse", detail: describe(element) } : cover(top, target);
    }
  }
  const another = checked(number); // scrolling to it may have reused it
  if (another.problem) return another;
  if (request.hits) arm(element, target);
  const { x, y, width, height } = rectOf(target);
  return { point, box: { x, y, width, height }, what: describe(element) };
}

const PLACES = [0.5, 0.3, 0.7, 0.1, 0.9];

// A point of a box at which a press reaches the element: its middle, unless that is covered or
// another control is there. Null if all of it is covered.
function openPoint(box, element, target) {
  let within = null;
  for (const down of PLACES) {
    for (const across of PLACES) {
      const point = { x: box.x + box.width * across, y: box.y + box.height * down };
      const top = elementAt(point.x, point.y);
      if (!top || !reaches(top, element, target)) continue;
      if (!isInInnerControl(top, element, target)) return point;
      within ??= point;
    }
  }
  return within;
}

// Whether the topmost element at a point is in another control inside the element.
function isInInnerControl(top, element, target) {
  for (let node = top; node && node !== element && node !== target; node = parentOf(node)) {
    if (node instanceof Element && isInnerControl(node)) return true;
  }
  return false;
}

// The element to press instead of a hidden one: the label of a field that the page hides, such as a
// restyled checkbox; the editor of the field that it listens to; or the label or control that
// contains a text for screen readers.
function clickable(element) {
  return layoutRead ? readOnce(layoutRead.clickable, element, clickableNow) : clickableNow(element);
}

function clickableNow(element) {
  const box = rectOf(element);
  if (isShown(element) && box.width > 1 && box.height > 1) return element;
  const label = [...(propertyOf(element, "labels") ?? [])].find((label) => isShown(label));
  if (label || isInnerControl(element)) return label ?? around(element, EDITORS) ?? element;
  return controlAround(element) ?? element;
}

// The closed drop-down list that an option is in: a press would only reach the list.
function closedList(element) {
  return fits(element, "select option, select optgroup") && !isShown(element) ? around(element, "select") : null;
}

// The innermost label or control that contains an element; it can be the element itself.
function controlAround(element) {
  for (let node = element; node; node = parentOf(node)) {
    if (node instanceof Element && (tagOf(node) === "LABEL" || isInnerControl(node))) return node;
  }
  return null;
}

function lands(top, element, target) {
  return contains(element, top) || contains(target, top) || isLabelOf(top, element);
}

// Whether a press on the topmost element at a point counts as a press on the element. It also does
// if the page clips the element out of sight, such as the text of a label or the field of a
// slider's thumb, and the element around it is pressed instead.
function reaches(top, element, target) {
  if (lands(top, element, target)) return true;
  if (!contains(top, element) || top === body() || top === documentElement()) return false;
  const control = controlAround(element);
  if (control && control !== element) return contains(control, top);
  if (!control || getComputedStyle(element).pointerEvents === "none") return false;
  return innerControls(top).every((one) => one === element);
}

function bringIntoView(element) {
  const box = rectOf(element);
  const x = box.left + box.width / 2, y = box.top + box.height / 2;
  if (x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && lands(elementAt(x, y) ?? element, element, element)) return;
  invoke(element, "scrollIntoView", { block: "center", inline: "center", behavior: "instant" });
}

// Whether the middle of an element of a frame is in the visible part of the whole page.
function inSight(element) {
  return new Promise((resolve) => {
    const done = (seen) => { clearTimeout(timer); observer.disconnect(); resolve(seen); };
    const observer = new IntersectionObserver(([{ intersectionRect: seen, boundingClientRect: box }]) => {
      const x = box.x + box.width / 2, y = box.y + box.height / 2;
      done(x >= seen.left && x <= seen.right && y >= seen.top && y <= seen.bottom);
    });
    const timer = setTimeout(() => done(false), 1000);
    observer.observe(element);
  });
}

// Until the guard is disarmed, a press that would land on another element is blocked.
const PRESSES = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
let guard = null;

function arm(element, target) {
  disarm();
  const own = { missed: null, hit: false, torn: false, what: describe(element) };
  const judge = (event) => {
    if (!event.isTrusted) return;
    const top = targetOf(event);
    // An element around the target counts as the target only at its current position.
    const reached = reaches(top, element, target) && (lands(top, element, target) || isUnder(event, target));
    if (own.hit) {
      // A press is complete if the element is still there at its release, even if it is covered.
      if (event.type === "mouseup") own.torn = propertyOf(target, "isConnected") && !isUnder(event, target) && !reached;
      if (event.type !== "click") return;
      own.torn &&= !reached;
      if (!own.torn) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      return;
    }
    // A press that began on another element is a miss, even if it is released on this one.
    if (!own.missed && reached) {
      own.hit = true;
      return;
    }
    own.missed ??= cover(top, target);
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  for (const press of PRESSES) addEventListener(press, judge, { capture: true });
  own.off = () => { for (const press of PRESSES) removeEventListener(press, judge, { capture: true }); };
  guard = own;
}

function isUnder(event, element) {
  return [...rectsOf(element)].some((box) => event.clientX >= box.left - 1 && event.clientX <= box.right + 1
    && event.clientY >= box.top - 1 && event.clientY <= box.bottom + 1);
}

// Removes the guard and returns the problem with the press; {} if it landed.
function disarm() {
  if (guard?.torn) {
    const torn = { problem: "torn", detail: guard.what };
    guard.off();
    guard = null;
    return torn;
  }
  const missed = !guard || guard.hit ? {} : guard.missed ?? { problem: "elsewhere", detail: guard.what };
  guard?.off();
  guard = null;
  return missed;
}

// A slider that is not an input: only keys or the mouse can move it.
function isDragged(element) {
  return tagOf(element) !== "INPUT" && roleOf(element) === "slider";
}

// The element that receives keys after the last `focusOn`; null if that call focused none.
let focused = null;

function focusOn(number, request) {
  focused = null;
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  if (fits(element, "input[type=file]")) return { problem: "file", detail: describe(element) };
  if (request.writes && fits(element, "select")) return { problem: "a select", detail: describe(element) };
  if (request.writes && (fits(element, UNWRITABLE) || isDragged(element))) return { problem: "no text field", detail: describe(element) };
  const keeps = request.keeps && fits(element, ":focus, :focus-within"); // its selection, to copy it
  if (!keeps) invoke(element, "focus", { preventScroll: true });
  if (!fits(element, ":focus, :focus-within")) return { problem: "unfocused", detail: describe(element) };
  if (fits(element, "input") && TIME_FIELDS.has(propertyOf(element, "type"))) return { sets: true, what: describe(element) };
  if (!keeps) (request.append ? caretToEnd : selectAll)(element);
  focused = focusedIn(element);
  listenForText();
  return {
    what: describe(element), filled: Boolean(propertyOf(element, "value") ?? propertyOf(element, "textContent")),
    field: isEditable(focused) ? numberOf(focused) : 0,
    drawn: tagOf(focused) !== "INPUT" && around(focused, EDITORS) !== null,
  };
}

// Editors that do not keep all of their text in the field that they listen to.
const EDITORS = ".CodeMirror, .cm-editor, .ace_editor, .monaco-editor";

// Whether any text was entered since the last check, even if the page changed or rejected it.
let heard = { text: false, off: () => {} };

function listenForText() {
  heard.off();
  const own = { text: false };
  const note = (event) => { own.text ||= event.isTrusted; };
  for (const type of ["beforeinput", "input"]) addEventListener(type, note, { capture: true });
  own.off = () => { for (const type of ["beforeinput", "input"]) removeEventListener(type, note, { capture: true }); };
  heard = own;
}

// The element that receives keys if an element has the focus, also in shadow roots.
function focusedIn(element) {
  let focused = contains(element, propertyOf(document, "activeElement")) ? propertyOf(document, "activeElement") : element;
  for (let root = rootOf(focused); root?.activeElement; root = rootOf(focused)) focused = root.activeElement;
  return focused;
}

// Whether a field contains a text (at its end, if the text was appended), and how its value begins.
function held(number, text, request) {
  heard.off();
  const { element, problem } = found(number);
  if (!element) return { problem };
  const value = lines(propertyOf(element, "value") ?? propertyOf(element, "innerText") ?? "", element);
  const wanted = lines(text, element);
  return {
    same: request.append ? value.endsWith(wanted) : value === wanted,
    taken: heard.text || value !== "",
    length: value.length,
    value: propertyOf(element, "type") === "password" ? "" : value.slice(0, 400).toWellFormed(),
  };
}

// A text as its field stores it: an `<input>` has one line, an editor more line breaks than typed.
function lines(text, element) {
  const plain = text.replace(/\r\n?/g, "\n");
  if (tagOf(element) === "TEXTAREA") return plain;
  if (tagOf(element) === "INPUT") return plain.replaceAll("\n", "");
  return plain.replaceAll("\u00a0", " ").replace(/[\u200b\ufeff]/g, "").replace(/\n+/g, "\n").replace(/\n$/, "");
}

function selectAll(element) {
  if (typeof propertyOf(element, "select") === "function") invoke(element, "select");
  else getSelection().selectAllChildren(element);
}

function caretToEnd(element) {
  if (typeof propertyOf(element, "setSelectionRange") === "function") {
    try {
      invoke(element, "setSelectionRange", propertyOf(element, "value").length, propertyOf(element, "value").length);
    } catch { // number, email
      invoke(element, "select");
      getSelection().modify("move", "forward", "documentboundary");
    }
    return;
  }
  const selection = getSelection();
  selection.selectAllChildren(element);
  selection.collapseToEnd();
}

function dispatchChange(element) {
  invoke(element, "dispatchEvent", new Event("input", { bubbles: true, composed: true }));
  invoke(element, "dispatchEvent", new Event("change", { bubbles: true }));
}

function setValue(number, value) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const prototype = element instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  const { set } = Object.getOwnPropertyDescriptor(prototype, "value");
  const before = propertyOf(element, "value");
  set.call(element, value);
  if (propertyOf(element, "value") !== value && value !== "") {
    set.call(element, before);
    return { problem: "format", detail: `${describe(element)} (${propertyOf(element, "type")})` };
  }
  dispatchChange(element);
  return { what: describe(element), value: propertyOf(element, "value") };
}

function shownValue(number) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const role = roleOf(element);
  return { what: describe(element), role, value: role === "password" ? "•••" : String(propertyOf(element, "value") ?? propertyOf(element, "innerText") ?? ""),
    checked: propertyOf(element, "checked") === true || attributeOf(element, "aria-checked") === "true",
    files: fits(element, "input[type=file]"), folder: fits(element, "input[type=file][webkitdirectory]"), select: tagOf(element) === "SELECT", editable: isEditable(element) };
}

function isEditable(element) {
  return propertyOf(element, "isContentEditable") || Boolean(propertyOf(element, "editContext")) || tagOf(element) === "TEXTAREA" ||
    tagOf(element) === "INPUT" && !["checkbox", "radio", "button", "submit", "reset", "image", "file"].includes(propertyOf(element, "type"));
}

function options(number) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  if (tagOf(element) !== "SELECT") return { problem: "no select", detail: describe(element) };
  return { what: describe(element), options: [...propertyOf(element, "options")].map((option) => ({
    value: option.value, label: clean(option.label), selected: option.selected, disabled: option.disabled,
  })) };
}

function choose(number, wanted) {
  const listed = options(number);
  if (listed.problem) return listed;
  const { element } = found(number);
  if (isDisabled(element)) return { problem: "disabled", detail: describe(element) };
  if (!isShown(clickable(element))) return { problem: "hidden select", detail: describe(element) };
  const chosen = [];
  for (const choice of wanted) {
    const all = [...propertyOf(element, "options")];
    const option = all.find((one) => propertyOf(one, "value") === choice) ?? all.find((one) => clean(one.label) === clean(choice))
      ?? all.find((one) => clean(one.label).toLowerCase() === clean(choice).toLowerCase());
    if (!option) return { problem: "no option", detail: choice, options: listed.options };
    if (fits(option, ":disabled")) return { problem: "disabled option", detail: describe(option) };
    chosen.push(option);
  }
  if (chosen.length > 1 && !propertyOf(element, "multiple")) return { problem: "one option", detail: describe(element) };
  setChosen(element, chosen);
  return { what: describe(element), value: chosen.map((option) => clean(option.label)).join(", ") };
}

function setChosen(list, chosen) {
  for (const option of propertyOf(list, "options")) option.selected = chosen.includes(option);
  dispatchChange(list);
}

// The list of an option and the label of the option, or the reason why it cannot be chosen.
function listOf(number) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const list = around(element, "select");
  if (!list || !fits(element, "option")) return { problem: "a select", detail: describe(list ?? element) };
  if (isDisabled(list)) return { problem: "disabled", detail: describe(list) };
  if (fits(element, ":disabled")) return { problem: "disabled option", detail: describe(element) };
  if (!isShown(clickable(list))) return { problem: "hidden select", detail: describe(list) };
  return { what: describe(list), value: clean(element.label) };
}

// Chooses exactly this option; others may have the same value and label.
function chooseOption(number) {
  const listed = listOf(number);
  if (listed.problem) return listed;
  const { element } = found(number);
  setChosen(around(element, "select"), [element]);
  return listed;
}

// Maximum number of fields in the answer if the requested field does not exist.
const FIELDS_MAX = 20;

// The fields with this name: the `name` attribute, the id, the label, the placeholder or the name
// of the group. If there are none, the names of the existing fields.
function fieldsNamed(name) {
  const wanted = clean(name).toLowerCase();
  const fields = fieldsOf(document);
  const label = (field) => nameOf(field, roleOf(field));
  for (const read of [(field) => propertyOf(field, "name"), (field) => propertyOf(field, "id"), label, (field) => propertyOf(field, "placeholder"), nameOfRadioGroup]) {
    const refs = fields.filter((field) => clean(read(field)).toLowerCase() === wanted)
      .map((field) => ({ ref: numberOf(field), value: String(propertyOf(field, "value") ?? ""), label: label(field) }));
    if (refs.length) return { refs };
  }
  const shown = fields.filter((field) => isShown(clickable(field))).slice(0, FIELDS_MAX);
  return { refs: [], fields: shown.map((field) => label(field) || String(propertyOf(field, "name") ?? "")) };
}

// The name of the group of a radio button, which people regard as the name of the field.
function nameOfRadioGroup(field) {
  if (roleOf(field) !== "radio") return "";
  for (let node = parentOf(field); node; node = parentOf(node)) {
    if (node instanceof Element && ["group", "radiogroup"].includes(roleOf(node))) return nameOf(node, roleOf(node));
  }
  return "";
}

function fieldsOf(root) {
  const fields = [];
  for (const element of allIn(root, "*")) {
    const inner = rootOf(element);
    if (inner) fields.push(...fieldsOf(inner));
    if (fits(element, "input:not([type=hidden]), select, textarea, [contenteditable]:not([contenteditable=false i])")) fields.push(element);
  }
  return fields;
}

function scroller(element, sideways) {
  for (let node = element; node && node !== body() && node !== documentElement(); node = parentOf(node)) {
    if (scrolls(node, sideways)) return node;
  }
  return largestScroller(sideways);
}

// Whether an element is a scrollable area, and has content to scroll to.
function scrolls(node, sideways) {
  if (!(node instanceof Element)) return false;
  const { overflowX, overflowY } = getComputedStyle(node);
  const [content, view, overflow] = sideways
    ? [propertyOf(node, "scrollWidth"), propertyOf(node, "clientWidth"), overflowX]
    : [propertyOf(node, "scrollHeight"), propertyOf(node, "clientHeight"), overflowY];
  return content > view + 1 && /auto|scroll|overlay/.test(overflow);
}

// If the document itself does not scroll, an element that fills it may.
function largestScroller(sideways) {
  const page = propertyOf(document, "scrollingElement") ?? documentElement();
  if (sideways ? page.scrollWidth > page.clientWidth + 1 : page.scrollHeight > page.clientHeight + 1) return page;
  const middle = elementAt(innerWidth / 2, innerHeight / 2);
  for (let node = middle; node; node = parentOf(node)) {
    if (scrolls(node, sideways)) return node;
  }
  return page;
}

async function scroll(number, request) {
  const { element, problem, was } = number ? found(number) : { element: body() };
  if (!element) return { problem, detail: was };
  if (request.to === "element") {
    invoke(element, "scrollIntoView", { block: "center", inline: "nearest", behavior: "instant" });
  } else if (request.to === "text") {
    const holder = textHolder(body(), clean(request.text).toLowerCase());
    if (!holder) return { problem: "no text", detail: request.text };
    invoke(holder, "scrollIntoView", { block: "center", inline: "nearest", behavior: "instant" });
  }
  const sideways = request.to === "by" && Boolean(request.x) && !request.y;
  const moved = number ? scroller(element, sideways) : largestScroller(sideways);
  const view = propertyOf(moved, "clientHeight");
  if (request.to === "top") invoke(moved, "scrollTo", { top: 0, behavior: "instant" });
  if (request.to === "bottom") invoke(moved, "scrollTo", { top: propertyOf(moved, "scrollHeight"), behavior: "instant" });
  if (request.to === "by") invoke(moved, "scrollBy", { top: request.y ?? (sideways ? 0 : Math.round(view * 0.85)), left: request.x ?? 0, behavior: "instant" });
  await nextFrame();
  if (sideways) {
    return {
      sideways, top: Math.round(propertyOf(moved, "scrollLeft")), height: propertyOf(moved, "scrollWidth"),
      view: propertyOf(moved, "clientWidth"),
    };
  }
  return { top: Math.round(propertyOf(moved, "scrollTop")), height: propertyOf(moved, "scrollHeight"), view };
}

function textHolder(root, wanted) {
  if (!root) return null;
  const walker = invoke(document, "createTreeWalker", root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (clean(node.data).toLowerCase().includes(wanted) && isShown(propertyOf(node, "parentElement"))) return propertyOf(node, "parentElement");
  }
  for (const host of allIn(root, "*")) {
    const inner = rootOf(host);
    const holder = inner && textHolder(inner, wanted);
    if (holder) return holder;
  }
  const all = [...allIn(root, "*")].reverse();
  return all.find((one) => clean(propertyOf(one, "innerText")).toLowerCase().includes(wanted) && isShown(one)) ?? null;
}

// The position of a frame's content on this page, and the scale at which the frame is shown.
function frameBox(number) {
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const box = rectOf(element);
  const scale = propertyOf(element, "offsetWidth") ? box.width / propertyOf(element, "offsetWidth") : 1;
  const style = getComputedStyle(element);
  return {
    x: box.x + (propertyOf(element, "clientLeft") + parseFloat(style.paddingLeft)) * scale,
    y: box.y + (propertyOf(element, "clientTop") + parseFloat(style.paddingTop)) * scale,
    scale,
  };
}

// The element that covers the frame with this number at a point of this page; {} if none does.
function over(x, y, number) {
  const top = elementAt(x, y);
  const { element } = found(number);
  if (top && element && contains(element, top)) return {};
  return top ? cover(top, element) : { problem: "out of view", detail: describe(element ?? body()) };
}

// Whether dragging the element can start a drag with data (HTML, section 6.11).
function carries(number) {
  const { element } = found(number);
  return Boolean(element && around(element, "[draggable=true], a[href], img"));
}

// The size and position of the viewport, and the size of the whole page, in CSS pixels.
function extent() {
  const page = documentElement();
  return { x: scrollX, y: scrollY, width: innerWidth, height: innerHeight,
    ratio: devicePixelRatio, full_width: Math.max(page.scrollWidth, innerWidth), full_height: Math.max(page.scrollHeight, innerHeight) };
}
