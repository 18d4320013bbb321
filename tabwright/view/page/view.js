// The page of the live view. Text of the watched pages is only ever set as text.

import { connectControls, showKeyboard } from "./controls.js";
import { decode, draw } from "./picture.js";

const RETRY_MS = [500, 1000, 2000, 5000];
const CHUNK_BYTES = 256 * 1024;
const EVENTS_MAX = 200;
const ENDED = 1008;
const PLAIN_ROLES = new Set(["StaticText", "LabelText", "RootWebArea", "paragraph"]);

const at = (id) => document.getElementById(id);
const show = (id, visible) => { at(id).hidden = !visible; };

const state = { socket: null, retries: 0, tab: null, page: null, cards: new Map(), only: false };

start();

async function start() {
  const token = location.hash.slice(1);
  if (token !== "") {
    history.replaceState(null, "", location.pathname);
    if (!(await useLink(token))) return;
  }
  if (sessionStorage.getItem("session") === null) return welcome("A link is needed.");
  connect();
}

async function useLink(token) {
  let answer;
  try {
    answer = await fetch("view/session", { method: "POST", body: token });
  } catch {
    welcome("The server cannot be reached.");
    return false;
  }
  if (!answer.ok) {
    welcome("This link was used before, or has expired.");
    return false;
  }
  sessionStorage.setItem("session", (await answer.json()).session);
  return true;
}

function welcome(text) {
  report(text);
  show("welcome", true);
  show("grid", false);
  show("live", false);
}

function report(text) {
  at("status").textContent = text;
}

function connect() {
  const url = new URL("view/stream", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  state.socket = socket;
  socket.addEventListener("open", () => {
    send({ t: "hello", session: sessionStorage.getItem("session") });
    if (state.tab !== null) watch(state.tab);
    else show("grid", true);
  });
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") take(JSON.parse(data));
    else takePicture(data);
  });
  socket.addEventListener("close", ({ code }) => {
    if (code === ENDED) {
      sessionStorage.removeItem("session");
      return welcome("Your session has ended. You need a new link.");
    }
    report("The connection is lost. Trying again…");
    setTimeout(connect, RETRY_MS[Math.min(state.retries, RETRY_MS.length - 1)]);
    state.retries += 1;
  });
}

function send(message) {
  if (state.socket?.readyState === WebSocket.OPEN) state.socket.send(JSON.stringify(message));
}

function take(message) {
  state.retries = 0;
  switch (message.t) {
    case "tabs": return showTabs(message.tabs);
    case "page": return showPage(message);
    case "events": return showEvents(message.events);
    case "outline": return showOutline(message.lines);
    case "problem": return report(message.text);
    case "ended": return end(message.text);
  }
}

async function takePicture(data) {
  const length = new DataView(data).getUint32(0);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  const bytes = new Uint8Array(data, 4 + length);
  if (!head.live) return drawCard(head, bytes);
  if (head.tab === state.tab) await draw(head, bytes);
  send({ t: "ack" });
}

// The grid.

function showTabs(tabs) {
  const numbers = new Set(tabs.map((tab) => tab.number));
  for (const [number, card] of state.cards) {
    if (!numbers.has(number)) {
      card.item.remove();
      state.cards.delete(number);
    }
  }
  for (const tab of tabs) fillCard(state.cards.get(tab.number) ?? addCard(tab.number), tab);
  show("no-tabs", tabs.length === 0);
  if (state.tab === null) report(tabs.length === 1 ? "1 tab" : `${tabs.length} tabs`);
  const called = tabs.filter((tab) => tab.help !== "");
  if (state.tab === null && tabs.length === 1 && called.length === 1) watch(tabs[0].number);
}

function addCard(number) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  const canvas = document.createElement("canvas");
  const words = document.createElement("span");
  const parts = Object.fromEntries(["title", "url", "use"].map((name) => {
    const part = document.createElement("span");
    part.className = name;
    words.append(part);
    return [name, part];
  }));
  button.type = "button";
  canvas.width = 320;
  canvas.height = 200;
  canvas.setAttribute("aria-hidden", "true");
  words.className = "words";
  button.append(canvas, words);
  item.append(button);
  button.addEventListener("click", () => watch(number));
  at("cards").append(item);
  const card = { item, button, canvas, ...parts };
  state.cards.set(number, card);
  return card;
}

function fillCard(card, tab) {
  card.title.textContent = tab.title || tab.url || "Blank tab";
  card.url.textContent = tab.url;
  const person = { you: "you act", other: "a person acts", "": "" }[tab.person];
  card.use.textContent = [tab.help, person, tab.purpose].filter((text) => text !== "").join(" · ");
  card.button.classList.toggle("needs", tab.help !== "");
}

async function drawCard(head, bytes) {
  const card = state.cards.get(head.tab);
  const picture = await decode(head, bytes);
  if (picture === null) return;
  if (card) {
    card.canvas.height = Math.round((card.canvas.width * picture.height) / picture.width);
    card.canvas.getContext("2d").drawImage(picture, 0, 0, card.canvas.width, card.canvas.height);
  }
  picture.close();
}

// One tab.

function watch(number) {
  state.tab = number;
  state.page = null;
  at("outline").replaceChildren();
  at("events").replaceChildren();
  show("grid", number === null);
  show("live", number !== null);
  show("all-tabs", number !== null);
  if (number === null) report("");
  send({ t: "watch", tab: number });
}

function isMine() {
  return state.page?.tab.person === "you";
}

function showPage(page) {
  const before = state.page;
  state.page = page;
  if (state.tab === null) watch(page.tab.number);
  const { person, title, url, help } = page.tab;
  report(title);
  document.title = title ? `${title} – tabwright` : "tabwright: live view";
  at("live").className = { you: "mine", other: "other", "": "" }[person];
  at("take").setAttribute("aria-pressed", String(person === "you"));
  at("take").textContent = person === "you" ? "Hand back" : "Take over";
  at("take").disabled = person === "other";
  at("lock-text").textContent = {
    you: "You act in this tab. Its agent waits until you hand it back.",
    other: "Another person acts in this tab.",
    "": "You watch this tab. Take it over to act in it.",
  }[person];
  at("lock-picture").toggleAttribute("hidden", person === "");
  at("help").textContent = help;
  show("help", help !== "");
  show("history", person === "you");
  show("keyboard", person === "you" && matchMedia("(pointer: coarse)").matches);
  at("address").readOnly = person !== "you";
  if (document.activeElement !== at("address") || person !== "you") at("address").value = url;
  if (person === "you" && before?.tab.person !== "you") at("picture").focus({ preventScroll: true });
  showDialog(page.dialog);
  showFiles(page.files);
}

function showEvents(events) {
  const list = at("events");
  for (const event of events) {
    const item = document.createElement("li");
    const kind = document.createElement("span");
    kind.className = "kind";
    kind.textContent = `${event.kind} `;
    item.append(kind, event.text);
    list.prepend(item);
  }
  while (list.children.length > EVENTS_MAX) list.lastChild.remove();
}

function showOutline(lines) {
  const listed = lines.filter((line) => line.name !== "" || !PLAIN_ROLES.has(line.role));
  at("outline").replaceChildren(...listed.map((line) => {
    const item = document.createElement("li");
    const role = document.createElement("span");
    role.className = "role";
    role.textContent = PLAIN_ROLES.has(line.role) ? "" : `${line.role} `;
    item.style.setProperty("--depth", String(Math.min(line.depth, 12)));
    item.append(role, line.name, line.value ? ` = ${line.value}` : "", line.states.length ? ` (${line.states.join(", ")})` : "");
    return item;
  }));
}

function end(text) {
  report(text);
  state.tab = null;
  state.page = null;
  show("live", false);
  show("all-tabs", false);
  show("grid", true);
  at("no-tabs").textContent = text;
}

// Dialogs and file choosers of the page.

function showDialog(dialog) {
  const box = at("dialog");
  if (dialog === null || !isMine()) {
    if (box.open) box.close("gone");
    return;
  }
  if (box.open) return;
  at("dialog-text").textContent = dialog.message;
  at("dialog-answer").value = dialog.preset;
  show("dialog-label", dialog.kind === "prompt");
  show("dialog-no", dialog.kind !== "alert");
  box.returnValue = "";
  box.showModal();
}

at("dialog").addEventListener("close", () => {
  const answer = at("dialog").returnValue;
  if (answer !== "gone") send({ t: "dialog", accept: answer === "yes", text: at("dialog-answer").value });
  at("picture").focus({ preventScroll: true });
});

function showFiles(wanted) {
  const box = at("files");
  if (!wanted || !isMine()) {
    if (box.open) box.close("gone");
    return;
  }
  if (box.open) return;
  at("files-input").value = "";
  box.returnValue = "";
  box.showModal();
}

at("files").addEventListener("close", async () => {
  if (at("files").returnValue === "gone") return;
  const chosen = at("files").returnValue === "yes" ? [...at("files-input").files] : [];
  for (const file of chosen) {
    send({ t: "file", name: file.name, size: file.size });
    for (let from = 0; from < file.size; from += CHUNK_BYTES) {
      state.socket.send(await file.slice(from, from + CHUNK_BYTES).arrayBuffer());
    }
  }
  send({ t: "choose" });
  at("picture").focus({ preventScroll: true });
});

// Buttons.

connectControls(send, isMine, (backwards) => (backwards ? at("address") : at("take")).focus());
at("all-tabs").addEventListener("click", () => { watch(null); at("cards").querySelector("button")?.focus(); });
at("take").addEventListener("click", () => send({ t: "take", over: !isMine() }));
at("keyboard").addEventListener("click", showKeyboard);
for (const where of ["back", "forward", "reload"]) at(where).addEventListener("click", () => send({ t: "go", where }));
at("address-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isMine()) return;
  const text = at("address").value.trim();
  send({ t: "go", where: /^[a-z]+:/i.test(text) ? text : `https://${text}` });
  at("picture").focus();
});
