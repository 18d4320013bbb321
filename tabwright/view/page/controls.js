// The person's input in the live picture: mouse, wheel, touch, keyboard, input methods, paste.

import { placeOf, zoom } from "./picture.js";

const picture = document.getElementById("picture");
const typing = document.getElementById("typing");
const BUTTONS = ["left", "middle", "right"];
const LEAVE = "F6";
const CLICK_MS = 500;
const CLICK_PX = 6;
const IS_MAC = navigator.platform.startsWith("Mac"); // where Command replaces Control

let send = () => {};
let isMine = () => false;
let held = "none";
let lastDown = { time: 0, x: 0, y: 0, button: -1, clicks: 0 };
let composing = false;
const fingers = new Map();

export function connectControls(sender, mine, leave) {
  send = sender;
  isMine = mine;
  picture.addEventListener("focus", () => { if (isMine()) typing.focus({ preventScroll: true }); });
  picture.addEventListener("keydown", (event) => {
    if (event.key === LEAVE) {
      event.preventDefault();
      leave(event.shiftKey);
    }
  });
}

export function showKeyboard() {
  typing.focus({ preventScroll: true });
}

function modifiersOf(event) {
  const control = event.ctrlKey || (IS_MAC && event.metaKey);
  const meta = event.metaKey && !IS_MAC;
  return (event.altKey ? 1 : 0) | (control ? 2 : 0) | (meta ? 4 : 0) | (event.shiftKey ? 8 : 0);
}

// Mouse and pen.

picture.addEventListener("pointerdown", (event) => {
  if (!isMine()) return;
  event.preventDefault();
  typing.focus({ preventScroll: true });
  if (event.isTrusted) picture.setPointerCapture(event.pointerId);
  if (event.pointerType === "touch") {
    fingers.set(event.pointerId, placeOf(event));
    return sendTouch("start");
  }
  held = BUTTONS[event.button] ?? "left";
  send({ t: "mouse", kind: "down", ...placeOf(event), button: held, held, clicks: countClicks(event), modifiers: modifiersOf(event) });
});

picture.addEventListener("pointermove", (event) => {
  if (!isMine()) return;
  if (event.pointerType === "touch") {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, placeOf(event));
    return sendTouch("move");
  }
  send({ t: "mouse", kind: "move", ...placeOf(event), button: held, held, modifiers: modifiersOf(event) });
});

picture.addEventListener("pointerup", (event) => {
  if (event.pointerType === "touch") return endFinger(event, "end");
  if (!isMine() || held === "none") return;
  const button = held;
  held = "none";
  send({ t: "mouse", kind: "up", ...placeOf(event), button, held, clicks: lastDown.clicks, modifiers: modifiersOf(event) });
});

picture.addEventListener("pointercancel", (event) => endFinger(event, "cancel"));
picture.addEventListener("contextmenu", (event) => { if (isMine()) event.preventDefault(); });

picture.addEventListener("wheel", (event) => {
  if (!isMine()) return;
  event.preventDefault();
  const step = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 40 : zoom();
  send({ t: "wheel", ...placeOf(event), dx: event.deltaX * step, dy: event.deltaY * step });
}, { passive: false });

function countClicks(event) {
  const near = Math.hypot(event.clientX - lastDown.x, event.clientY - lastDown.y) < CLICK_PX;
  const again = near && event.button === lastDown.button && event.timeStamp - lastDown.time < CLICK_MS;
  const clicks = again ? (lastDown.clicks % 3) + 1 : 1;
  lastDown = { time: event.timeStamp, x: event.clientX, y: event.clientY, button: event.button, clicks };
  return clicks;
}

function sendTouch(kind) {
  send({ t: "touch", kind, points: [...fingers.values()].map(({ x, y }) => [x, y]) });
}

function endFinger(event, kind) {
  if (!fingers.delete(event.pointerId) || !isMine()) return;
  if (fingers.size === 0) sendTouch(kind); // the browser knows only the end of all touches
}

// Keyboard. A hidden field has the focus, so that input methods, paste and the keyboards of phones work.

typing.addEventListener("keydown", (event) => {
  if (event.key === LEAVE || !isMine() || event.isComposing || event.key === "Process" || event.key === "Unidentified") return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") return;
  event.preventDefault();
  const modifiers = event.getModifierState("AltGraph") ? 0 : modifiersOf(event);
  send({ t: "key", kind: "down", key: event.key, modifiers });
});

typing.addEventListener("keyup", (event) => {
  if (event.key === LEAVE || !isMine() || event.isComposing || event.key === "Process" || event.key === "Unidentified") return;
  send({ t: "key", kind: "up", key: event.key, modifiers: modifiersOf(event) });
});

typing.addEventListener("compositionstart", () => { composing = true; });
typing.addEventListener("compositionupdate", (event) => { if (isMine()) send({ t: "compose", text: event.data }); });
typing.addEventListener("compositionend", (event) => {
  composing = false;
  if (isMine()) send({ t: "text", text: event.data });
  typing.value = "";
});

typing.addEventListener("beforeinput", (event) => {
  if (composing || event.isComposing || !isMine()) return;
  if (event.inputType === "deleteContentBackward") tap("Backspace");
  else if (event.inputType === "insertLineBreak" || event.inputType === "insertParagraph") tap("Enter");
  else if (event.inputType.startsWith("insert") && event.data && event.inputType !== "insertFromPaste") send({ t: "text", text: event.data });
  if (event.cancelable && !event.inputType.includes("Composition")) event.preventDefault();
});

typing.addEventListener("input", () => { if (!composing) typing.value = ""; });

typing.addEventListener("paste", (event) => {
  if (!isMine()) return;
  event.preventDefault();
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text !== "") send({ t: "text", text });
});

function tap(key) {
  send({ t: "key", kind: "down", key });
  send({ t: "key", kind: "up", key });
}
