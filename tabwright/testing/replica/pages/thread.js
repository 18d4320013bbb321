// The conversation: asks the server, reads its stream frame by frame, and puts every piece of HTML
// where the page has it. It knows nothing of what an answer says.
"use strict";
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const thread = $('[data-xid="Lr04i"]');
  const live = $("#goog-lr-2");
  const plate = $('[data-xid="aim-mars-input-plate"]');
  const box = $("textarea", plate);
  const send = $('[data-xid="input-plate-send-button"]');
  const stop = $('[data-xid="ljhwxf"]');
  const hidden = stop.className;
  const tokens = $("[data-ei]").dataset;
  let asking = null;

  function address(endpoint, question) {
    const token = endpoint === "folwr" ? tokens.xsrfFolwrToken : tokens.xsrfFolifToken;
    return `/async/${endpoint}?` + new URLSearchParams({
      ei: tokens.ei, yv: 3, udm: 50, stkp: $("#rKxeg").dataset.stkp, csui: 3, q: question,
      hl: document.documentElement.lang, async: `_fmt:adl,_xsrf:${token}`,
    });
  }

  // The stream is a line to skip, then "<length in bytes, hexadecimal>;<JSON>" again and again.
  async function* framesOf(response) {
    const reader = response.body.getReader();
    let bytes = new Uint8Array();
    const until = async (full) => {
      while (!full()) {
        const { done, value } = await reader.read();
        if (done) return false;
        const longer = new Uint8Array(bytes.length + value.length);
        longer.set(bytes);
        longer.set(value, bytes.length);
        bytes = longer;
      }
      return true;
    };
    const take = (length) => {
      const text = new TextDecoder().decode(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
      return text;
    };
    const mark = (character) => bytes.indexOf(character.charCodeAt(0));
    if (await until(() => mark("\n") >= 0)) take(mark("\n") + 1);
    while (await until(() => mark(";") >= 0)) {
      const length = parseInt(take(mark(";") + 1), 16);
      if (!await until(() => bytes.length >= length)) return;
      yield JSON.parse(take(length));
    }
  }

  class Turn {
    nodes = [];
    at = -1;

    begin({ html, shadow, stoppable }) {
      if (html) thread.insertAdjacentHTML("beforeend", html);
      this.root = [...document.querySelectorAll('[data-xid="aim-mars-turn-root"]')].at(-1);
      this.loading = $("[data-streaming-container]", this.root).previousElementSibling;
      this.place = this.column("main-col");
      if (shadow !== "none") {
        this.place = this.place.appendChild(document.createElement("div")).attachShadow({ mode: shadow });
      }
      live.textContent = "";
      if (stoppable) stop.className = "";
      if (html) this.root.scrollIntoView();
    }

    column(name) {
      return $(`[data-container-id="${name}"]`, this.root);
    }

    // A block grows: each version of it takes the place of the one before.
    block({ at, html }) {
      this.loading.remove();
      if (at === this.at) this.nodes.forEach((node) => node.remove());
      const pieces = document.createRange().createContextualFragment(html);
      this.nodes = [...pieces.childNodes];
      this.at = at;
      this.place.append(pieces);
    }

    partial(frame) {
      this.block(frame);
    }

    foot({ html }) {
      this.column("main-col").insertAdjacentHTML("beforeend", html);
    }

    aside({ html }) {
      const column = this.column("rhs-col");
      column.innerHTML = html;
      const everything = $('[role="dialog"]', column);
      $('[aria-haspopup="dialog"]', column).onclick = () => { everything.style.display = ""; };
    }

    error({ html }) {
      this.loading.remove();
      this.column("main-col").innerHTML = html;
      this.rest();
    }

    done({ complete, say }) {
      this.loading.remove();
      if (complete) {
        $('[data-scope-id="turn"]', this.root).dataset.complete = "true";
        $('[data-subtree="aimc"]', this.root).dataset.complete = "true";
      }
      live.textContent = say;
      this.rest();
    }

    rest() {
      stop.className = hidden;
      asking = null;
    }
  }

  async function ask(endpoint, question) {
    const turn = new Turn();
    asking = new AbortController();
    try {
      const response = await fetch(address(endpoint, question), { signal: asking.signal });
      if (response.redirected) return location.assign(response.url);
      for await (const frame of framesOf(response)) turn[frame.kind](frame);
    } catch {
      turn.rest(); // broken off by the reader or by the network: what is there stays
    }
  }

  function submit() {
    const question = box.value.trim();
    if (send.disabled || asking || !question) return;
    box.value = "";
    send.disabled = true;
    ask("folif", question);
  }

  box.addEventListener("input", () => { send.disabled = !box.value.trim(); });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  send.addEventListener("click", submit);
  stop.addEventListener("click", () => asking?.abort());

  if ($('[data-xid="aim-mars-turn-root"]')) {
    ask("folwr", new URLSearchParams(location.search).get("q"));
  }
})();
