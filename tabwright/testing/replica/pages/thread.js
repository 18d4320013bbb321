// The conversation: asks the server, reads its stream frame by frame, and puts every piece of HTML
// where the page has it. It does not interpret the answer, and finds elements by class names.
function $(selector, within = document) {
  return within.querySelector(selector);
}

function $$(selector) {
  return [...document.querySelectorAll(selector)];
}

for (const template of $$("template[data-shadow]")) {
  shaded(template.parentNode, template.dataset.shadow).append(template.content);
  template.remove();
}

const thread = $("#main");
const live = $("#goog-lr-2");
const tokens = $("[data-ei]").dataset;
const plate = $(".plate", shadows.get($(".dock")));
const composer = plate && new Composer(plate);
let asking = null;

function address(endpoint, question) {
  const token = endpoint === "folwr" ? tokens.xsrfFolwrToken : tokens.xsrfFolifToken;
  return `/async/${endpoint}?` + new URLSearchParams({
    ei: tokens.ei, yv: 3, udm: 50, stkp: $("#rKxeg").dataset.stkp, csui: 3, q: question,
    hl: document.documentElement.lang, async: `_fmt:adl,_xsrf:${token}`,
  });
}

async function ask(endpoint, question) {
  const turn = new Turn();
  asking = new AbortController();
  try {
    const response = await fetch(address(endpoint, question), { signal: asking.signal });
    if (response.redirected) return location.assign(response.url);
    for await (const frame of framesOf(response)) turn[frame.kind](frame);
  } catch {
    turn.rest(); // stopped by the reader or the network: the text so far stays
  }
}

thread.addEventListener("click", ({ target }) => {
  const dialog = target.closest('[aria-haspopup="dialog"]')?.nextElementSibling;
  if (dialog) dialog.style.display = "";
});

if ($("#aim-chrome-initial-inline-async-container")) {
  ask("folwr", new URLSearchParams(location.search).get("q"));
}
