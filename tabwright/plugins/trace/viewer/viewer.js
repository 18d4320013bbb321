"use strict";
// Much of this data comes from pages: it is set as text, never as markup.
const trace = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function make(tag, values = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(values)) {
    if (name === "text") element.textContent = value;
    else if (name === "className") element.className = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const none = (text) => make("p", { className: "none", text });
const time = (ms) => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`);
const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString();

// The lines that both outlines have at their ends are skipped; those between are compared.
function difference(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start
    && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const old = before.slice(start, before.length - end), now = after.slice(start, after.length - end);
  const head = before.slice(0, start).map((line) => ["same", line]);
  const tail = before.slice(before.length - end).map((line) => ["same", line]);
  if (old.length * now.length > 1e6) {
    return [...head, ...old.map((line) => ["removed", line]), ...now.map((line) => ["added", line]), ...tail];
  }
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = old[i] === now[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const between = [];
  let i = 0, j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) { between.push(["same", old[i]]); i += 1; j += 1; }
    else if (j >= now.length || i < old.length && lengths[i + 1][j] >= lengths[i][j + 1]) between.push(["removed", old[i++]]);
    else between.push(["added", now[j++]]);
  }
  return [...head, ...between, ...tail];
}

const CONTEXT = 2;
const SIGNS = { same: "  ", added: "+ ", removed: "− " };

function changes(event) {
  if (!event.before && !event.after) return none("The page could not be read.");
  const lines = difference(event.before ?? [], event.after ?? []);
  if (lines.every(([kind]) => kind === "same")) return none("The outline did not change.");
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(([kind]) => kind !== "same"));
  const list = make("div", { className: "lines" });
  lines.forEach(([kind, line], at) => {
    if (near[at]) list.append(make("div", { className: kind, text: SIGNS[kind] + line }));
    else if (!at || near[at - 1]) list.append(make("div", { className: "skipped", text: "  …" }));
  });
  return list;
}

function outline(event) {
  if (!event.after) return none("The page could not be read.");
  return make("div", { className: "lines" }, ...event.after.map((line) => make("div", { text: line })));
}

function picture(event) {
  if (!event.picture) return none("There is no picture.");
  return make("img", { className: "picture", src: event.picture, alt: `The page after event ${event.number}` });
}

function table(heads, rows) {
  const body = make("tbody");
  for (const cells of rows) {
    body.append(make("tr", {}, ...cells.map(([text, className]) => make("td", { text: String(text), className: className ?? "" }))));
  }
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map(([text, className]) => make("th", { text, scope: "col", className: className ?? "" })))), body);
}

function console_(event) {
  if (!event.console.length) return none("Nothing was logged.");
  return table([["Level"], ["Text"], ["Place", "rare"]], event.console.map((one) => [
    [one.level, one.level === "error" ? "bad short" : "short"], [[one.text, ...one.stack].join("\n  at ")], [one.place, "rare"]]));
}

function network(event) {
  if (!event.requests.length) return none("There were no requests.");
  return table([["Method"], ["Status"], ["URL"], ["Type", "rare"], ["Size", "rare"], ["Time", "rare"]], event.requests.map(({ request }) => {
    const bad = request.failure || request.status >= 400;
    return [[request.method, "short"], [request.failure || request.status || "…", bad ? "bad" : "short"], [request.url],
      [request.media_type || request.kind, "short rare"], [request.size_bytes, "short rare"], [request.ms === null ? "" : time(request.ms), "short rare"]];
  }));
}

function pairs(values) {
  const list = make("dl");
  for (const [name, value] of values) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text && text !== "[]" && text !== "null" && text !== "false") list.append(make("dt", { text: name }), make("dd", { text }));
  }
  return list;
}

function details(event) {
  const box = make("div");
  box.append(pairs([["Action", event.description], ["Dialog", event.dialog], ["Began", clock(event.at)], ["Took", time(event.ms)], ...Object.entries(event.request)]));
  for (const one of event.performed) {
    box.append(make("h3", { text: `${one.action.type}${one.done ? "" : " (failed)"}` }), pairs(Object.entries(one.action).filter(([name]) => name !== "type")));
    for (const target of one.targets) {
      box.append(make("h3", { text: `Element ${target.place + 1} of ${target.count} with this role and name` }), pairs(Object.entries(target.element)));
    }
  }
  return box;
}

const TABS = [
  ["Picture", picture, () => ""], ["Changes", changes, () => ""], ["Outline", outline, () => ""],
  ["Console", console_, (event) => event.console.length], ["Network", network, (event) => event.requests.length], ["Details", details, () => ""],
];

let current = 0;
let tab = 0;
let shown = [];

function showTabs(event) {
  byId("tabs").replaceChildren(...TABS.map(([name, , count], at) => {
    const button = make("button", { role: "tab", id: `tab-${at}`, "aria-controls": "panel", "aria-selected": String(at === tab), tabindex: at === tab ? "0" : "-1",
      text: `${name}${count(event) ? ` (${count(event)})` : ""}` });
    button.addEventListener("click", () => { tab = at; showEvent(); byId(`tab-${at}`).focus(); });
    return button;
  }));
  byId("panel").setAttribute("aria-labelledby", `tab-${tab}`);
  byId("panel").replaceChildren(TABS[tab][1](event));
}

function showEvent() {
  const event = shown[current];
  byId("summary").textContent = event ? `${event.number}. ${event.summary}` : "There are no events.";
  byId("where").textContent = event?.url ? `${event.title} ${event.url}` : "";
  byId("error").hidden = !event?.error;
  byId("error").textContent = event?.error ? `${event.error.kind}: ${event.error.message}` : "";
  [...byId("events").children].forEach((item, at) => item.setAttribute("aria-selected", String(at === current)));
  byId("events").setAttribute("aria-activedescendant", event ? `event-${event.number}` : "");
  if (event) {
    document.getElementById(`event-${event.number}`).scrollIntoView({ block: "nearest" });
    showTabs(event);
  } else {
    byId("tabs").replaceChildren();
    byId("panel").replaceChildren();
  }
}

function isFailed(event) {
  return event.error !== null || event.performed.some((one) => !one.done);
}

function showEvents() {
  shown = trace.events.filter((event) => !byId("failures").checked || isFailed(event));
  byId("events").replaceChildren(...shown.map((event, at) => {
    const item = make("li", { role: "option", id: `event-${event.number}`, className: isFailed(event) ? "failed" : "" },
      make("span", { className: "number", text: event.number }), make("span", { className: "what", text: `${isFailed(event) ? "✗ " : ""}${event.summary}` }),
      make("span", { className: "time", text: time(event.ms) }));
    item.addEventListener("click", () => { current = at; showEvent(); });
    return item;
  }));
  current = 0;
  showEvent();
}

byId("events").addEventListener("keydown", (event) => {
  const places = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: shown.length - 1 };
  if (!(event.key in places)) return;
  event.preventDefault();
  current = Math.max(0, Math.min(shown.length - 1, places[event.key]));
  showEvent();
});
byId("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  tab = (tab + step + TABS.length) % TABS.length;
  showEvent();
  byId(`tab-${tab}`).focus();
});
byId("failures").addEventListener("change", showEvents);

const failed = trace.events.filter(isFailed).length;
document.title = `Trace of ${trace.header.session}`;
byId("title").textContent = `Trace of session ${trace.header.session}`;
byId("subtitle").textContent = `${new Date(trace.header.started * 1000).toLocaleString()} · ${trace.events.length} events · ${failed ? `${failed} failed` : "none failed"}`;
showEvents();
byId("events").focus();
