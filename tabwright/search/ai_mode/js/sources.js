// The sources of an answer: chips in its text that cite them, and cards next to it or in an
// unopened dialog.

const COUNT_TEXT_MAX = 40;

// The chip of a source, or a possible one: an empty link, buttons with no words next to them, or
// both. Buttons that do not look like those of a source may be part of the sentence: `words` reads
// it.
function chipOf(element, words) {
  const links = element.matches("a[href]") ? [element] : [...element.querySelectorAll("a[href]")];
  const own = element.matches(BUTTON) ? [element] : [...element.querySelectorAll(BUTTON)];
  if (!links.length && !own.length) return null;
  if (bareText(element) || links.some((link) => unitsOf(link).length || showsPicture(link))) {
    return null;
  }
  const isNamed = own.some(namesSource);
  const lines = own.map((button) => unitsOf(button).length);
  const mayCite = links.length || isNamed || lines.some(Boolean);
  if (!mayCite || (!isNamed && Math.max(...lines) > 1)) return null;
  return {
    kind: "chip",
    hrefs: links.map((link) => link.href),
    label: squeeze((links.length ? links : own).map((one) => one.ariaLabel ?? "").join(" ")),
    site: squeeze(own.map((button) => unitsOf(button).join(" ")).join(" ")),
    kids: links.length || isNamed ? [] : words(),
  };
}

function showsPicture(link) {
  const named = [...link.querySelectorAll("img[alt]")].filter((picture) => picture.alt);
  return named.some((picture) => sizeOfDrawing(picture) > ICON_SIZE_MAX);
}

// "Site +1" on the button, or "Site - Title" as its label.
function namesSource(button) {
  return /\+\s*\d+$/.test(unitsOf(button).join(" ")) || / [-–—] /.test(button.ariaLabel ?? "");
}

function asidesOf(parts, column) {
  const holdsColumn = (part) => column !== null && within(column, new Set([part]));
  const own = parts.filter(
    (part) => part.matches(ASIDE) && !holdsColumn(part) && !isRemark(part, column),
  );
  if (own.some(isFilled)) return new Set(outermost(own));
  const isFree = (part) => !part.closest(TURN.join()) && !parts.includes(part);
  const free = [...document.querySelectorAll(ASIDE)].filter(isFree);
  const place = outermost(free).slice(-1).filter((part) => !own.length || linksIn(part).length);
  return new Set([...outermost(own), ...place]);
}

function isFilled(part) {
  return bareText(part) !== "" || part.querySelector(BUTTON) !== null || linksIn(part).length > 0;
}

function linksIn(part) {
  return descendants(part).filter((one) => one.matches("a[href]"));
}

// An aside of the answer itself, such as a tip: its links, if any, are within sentences.
function isRemark(part, column) {
  if (part.matches("[data-xid],[data-container-id]")) return false;
  const links = linksIn(part);
  if (column === null) return links.length > 0 && links.every(isInSentence);
  return within(part, new Set([column])) && links.every(isInSentence);
}

function isInSentence(link) {
  const beside = [link.previousSibling, link.nextSibling];
  const texts = beside.filter((node) => node?.nodeType === Node.TEXT_NODE);
  return texts.some((text) => /[\p{L}\p{N}]/u.test(text.data));
}

function cardsOf(turn, parts, column, aside) {
  const besides = [...aside].flatMap((part) => descendants(part));
  const inAside = cardsAmong(besides, aside, () => true);
  const free = parts.filter((part) => !column?.contains(part) || part.closest(DIALOG));
  const isSource = (card) =>
    isTitled(card) || (isEntry(card) && (column !== null || card.box.closest(DIALOG)));
  const own = inAside.length ? inAside : cardsAmong(free, new Set([turn, ...aside]), isSource);
  return [...own, ...cardsInDialogs(own)];
}

// A dialog outside of the turns belongs to the last one if it has its cards, or there is one turn.
function cardsInDialogs(own) {
  const outside = (dialog) => !turns.some((turn) => within(dialog, new Set([turn])));
  const dialogs = outermost([...document.querySelectorAll(DIALOG)]).filter(outside);
  return dialogs.flatMap((dialog) => {
    const cards = cardsAmong(descendants(dialog), new Set([dialog]), isTitled);
    const shared = own.some((one) => cards.some((card) => card.href === one.href));
    return shared || (!own.length && turns.length === 1) ? cards : [];
  });
}

// Short texts with a number in them: one counts the sources.
function countsIn(parts, aside) {
  const named = parts.filter((part) => part.matches(`${BUTTON},a`));
  const texts = named.flatMap((one) => [squeeze(one.textContent), squeeze(one.ariaLabel ?? "")]);
  const lines = [...aside].flatMap((part) => unitsOf(part));
  return [...texts, ...lines].filter((text) => text.length <= COUNT_TEXT_MAX && /\d/.test(text));
}

function cardsAmong(elements, bounds, accepts) {
  const links = elements.filter((element) => element.matches('a[href^="http"],a[href^="/"]'));
  return links
    .map((link) => {
      const box = cardBox(link, bounds);
      const label = squeeze(link.ariaLabel ?? "");
      return { box, link, href: link.href, label, units: unitsOf(box, link) };
    })
    .filter((card) => (card.label || card.units.length) && accepts(card));
}

function cardBox(link, bounds) {
  let box = link;
  while (!box.matches('li,[role="listitem"],[data-src-id]')) {
    const parent = parentOf(box);
    if (bounds.has(parent) || parent.matches?.(`${DIALOG},ul,ol,[role="list"]`)) break;
    if ([...parent.querySelectorAll("a[href]")].some((other) => other.href !== link.href)) break;
    box = parent;
  }
  return box;
}

function isTitled({ label, units }) {
  return units.some((unit) => unit.length > 3 && label.startsWith(unit));
}

// An entry of a list whose link has words of its own, with more text next to it; a share link has
// none.
function isEntry({ box, link, units }) {
  if (!box.matches('li,[role="listitem"],[data-src-id]') || units.length < 2) return false;
  return unitsOf(link).length > 0;
}
