// The newest turn of the thread, while it is answered. Each method plays the frames of its name.
class Turn {
  at = -1;
  settled = 0;

  get root() {
    return $$(".qJYHHd").at(this.newest === "first" ? 0 : -1);
  }

  get main() {
    return $(".mZJni", this.root);
  }

  get place() {
    return shadows.get(this.main.firstElementChild) ?? this.main;
  }

  begin({ html, shadow, stoppable, hush, newest }) {
    this.newest = newest;
    const before = newest === "first" ? this.root : null;
    if (html) thread.insertBefore(document.createRange().createContextualFragment(html), before);
    if (shadow !== "none") shaded(this.main.appendChild(document.createElement("div")), shadow);
    if (hush) live.textContent = "";
    if (stoppable) composer?.work(true);
    if (html) this.root.scrollIntoView();
  }

  // A block grows: each version replaces the previous one.
  block({ at, html }) {
    this.load();
    if (at !== this.at) this.settled = this.place.childNodes.length;
    this.at = at;
    Array.from(this.place.childNodes).slice(this.settled).forEach((node) => node.remove());
    this.place.append(document.createRange().createContextualFragment(html));
  }

  partial(frame) {
    this.block(frame);
  }

  foot({ html }) {
    this.main.insertAdjacentHTML("beforeend", html);
  }

  aside({ html }) {
    $(".ofHStc", this.root).innerHTML = html;
  }

  error({ html }) {
    this.load();
    this.main.innerHTML = html;
    this.rest();
  }

  done({ complete, say }) {
    this.load();
    const scope = $(".CKgc1d", this.root);
    if (complete) scope.dataset.complete = scope.firstElementChild.dataset.complete = "true";
    live.textContent = say;
    this.rest();
  }

  rebuild() {
    thread.replaceChildren(...Array.from(thread.childNodes, renewed));
  }

  reload() {
    location.reload();
  }

  // Nests deeper than the renderer's layout stack allows, which crashes it.
  crash() {
    let box = document.body;
    for (let deep = 0; deep < 10000; deep++) box = box.appendChild(document.createElement("div"));
    document.body.offsetHeight; // asks for the layout
  }

  load() {
    $(".OBWDNe", this.root)?.remove();
  }

  rest() {
    composer?.work(false);
    asking = null;
  }
}
