"use strict";
// The page speaks JSON-RPC with its host by messages (SEP-1865), and has no other connection.
// Texts of pages are only ever set as text.

const EVERY_MS = 2000;
const WATCH_MS = 10 * 60 * 1000;
const PICTURES = ["image/jpeg", "image/png", "image/webp"];

const $ = (id) => document.getElementById(id);
const waiting = new Map();
let requests = 0;
let host = {};
let chosen = null;
let listed = "";
let watchedUntil = 0;
let timer = 0;
let asking = false;

function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  const id = ++requests;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

const unfenced = (text) => String(text).replace(/^<untrusted \w+>\n([^]*)\n<\/untrusted \w+>$/, "$1");

function status(text) {
  $("status").textContent = text;
}

async function call(given) {
  const result = await request("tools/call", { name: "view_tabs", arguments: given });
  if (result.isError) throw new Error(textOf(result));
  return result;
}

const textOf = (result) =>
  (result.content || []).filter((part) => part.type === "text").map((part) => part.text).join("\n");

function showPicture(result) {
  const picture = (result.content || []).find((part) => part.type === "image");
  if (!picture || !PICTURES.includes(picture.mimeType)) return;
  $("picture").src = `data:${picture.mimeType};base64,${picture.data}`;
  $("picture").hidden = false;
}

function showTabs({ tabs = [], shown = null }) {
  const names = tabs.map((tab) => [tab.number, unfenced(tab.title) || unfenced(tab.url)]);
  if (JSON.stringify(names) !== listed) {  // an open list would close
    listed = JSON.stringify(names);
    $("tabs").replaceChildren(...names.map(([number, name]) => new Option(name, number)));
  }
  if (document.activeElement !== $("tabs")) $("tabs").value = String(shown);
  const tab = tabs.find((one) => one.number === shown);
  $("url").textContent = tab ? unfenced(tab.url) : "";
  $("help").textContent = tab ? unfenced(tab.help) : "";
  $("help").hidden = !$("help").textContent;
  if (!tab) $("picture").hidden = true;
}

async function look() {
  if (asking) return;
  asking = true;
  const wanted = chosen;
  try {
    const result = await call(wanted === null ? {} : { tab: wanted });
    if (chosen === wanted) {
      showTabs(result.structuredContent || {});
      showPicture(result);
      status($("tabs").length ? "" : "No tab is open.");
    }
  } catch (error) {
    status(error.message);
  } finally {
    asking = false;
  }
  if (chosen !== wanted) await look();
}

async function watch() {
  clearTimeout(timer);
  const watches = Date.now() < watchedUntil;
  $("watch").setAttribute("aria-pressed", String(watches));
  if (!watches) return;
  if (!document.hidden) await look();
  clearTimeout(timer);
  timer = setTimeout(watch, EVERY_MS);
}

async function openView() {
  try {
    const { structuredContent } = await call({ link: true, ...(chosen === null ? {} : { tab: chosen }) });
    const url = structuredContent.link;
    const answer = host.openLinks ? await request("ui/open-link", { url }) : { isError: true };
    $("link").hidden = !answer.isError;
    $("link").textContent = answer.isError ? `Open this link in a browser. It can be used once: ${url}` : "";
  } catch (error) {
    status(error.message);
  }
}

const answers = {
  "ping": () => ({}),
  "ui/resource-teardown": () => {
    watchedUntil = 0;
    clearTimeout(timer);
    return {};
  },
};

const notified = {
  "ui/notifications/tool-result": (result) => {
    if ($("picture").hidden) showPicture(result);
  },
  "ui/notifications/host-context-changed": setTheme,
};

function setTheme({ theme } = {}) {
  if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
}

window.addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || !data || data.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    const { resolve, reject } = waiting.get(id) || {};
    waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  } else if (id === undefined) {
    notified[method]?.(params || {});
  } else if (Object.hasOwn(answers, method)) {
    send({ id, result: answers[method]() });
  } else {
    send({ id, error: { code: -32601, message: "Method not found" } });
  }
});

$("tabs").addEventListener("change", () => {
  chosen = Number($("tabs").value);
  $("picture").hidden = true;
  look();
});
$("watch").addEventListener("click", () => {
  watchedUntil = Date.now() < watchedUntil ? 0 : Date.now() + WATCH_MS;
  watch();
});
$("open").addEventListener("click", openView);

async function start() {
  const begun = await request("ui/initialize", {
    appInfo: { name: "tabwright", version: "$version" },
    appCapabilities: { availableDisplayModes: ["inline"] },
    protocolVersion: "2026-01-26",
  });
  host = begun.hostCapabilities || {};
  setTheme(begun.hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    send({ method: "ui/notifications/size-changed", params: { height } });
  }).observe(document.body);
  status("");
  if (host.serverTools) {
    $("watch").disabled = $("open").disabled = false;
    await look();
  } else {
    status("This client does not let the live view follow the tab. Run `tabwright view` for a link.");
  }
}

start().catch((error) => status(error.message));
