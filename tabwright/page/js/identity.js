// What a listed element stands for: its own words, those of its row and of its heading, and the path
// of the page. Pages show another thing with the same element (a list that reuses its rows, a table
// that is sorted, another account), and the same thing with a new element (a list that is drawn
// again). A ref names the thing: it follows a new element, and is refused for another thing.

const ROW_LEVELS_MAX = 8;
const ROW_WORDS_MAX = 60;
const ROWS = "tr, li, article, [role=row], [role=listitem], [role=article], [role=option], [role=treeitem]";
const BOUNDARIES = "body, main, form, table, nav, dialog, [role=dialog], [role=grid], [role=main]";
// Parts of a row that say nothing about it: other controls, rows in it, and what changes by itself.
const NOT_OF_ROW = "button, select, textarea, [role=button], ul, ol, table, time, progress, meter, [aria-live], [role=status], [role=timer], [role=alert]";
const HEADINGS = "h1, h2, h3, h4, h5, h6, [role=heading]";
const HEADINGS_TRIED_MAX = 8;
const SAME_PLACE = 4;

// Values that change while a thing stays the same: counts in parentheses, times, durations, prices,
// percentages and other measured numbers.
const COUNTS = /[([]\s*[\d.,]+\+?\s*[)\]]/g;
const VALUES = [
  COUNTS,
  /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b)?/g,
  /\b\d+\s?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?)\b(?:\s+ago\b)?/g,
  /[+-]?\d[\d.,]*\s?%/g,
  /(?:\p{Sc}|\b(?:usd|eur|gbp|jpy|cny|chf))\s?[+-]?\d[\d.,]*|[+-]?\d[\d.,]*\s?(?:\p{Sc}|(?:usd|eur|gbp|jpy|cny|chf)\b)/gu,
  /(?<![\d.,])[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d.,]*\d)/g,
  /(?<![\d.,])[+-]?\d+[.,]\d{2}(?![\d.,]*\d)/g,
];

let listing = 0;
let listedPath = "";

// What is known of the page while it is looked at, and does not change.
let rowTexts = new Map();
let headingsIn = new Map();
let headingTexts = new Map();
let lists = new Map();
let layouts = new Map();
let here = { path: "", url: "", origin: "" };

function beginListing() {
  listing += 1;
  lookAgain();
  listedPath = here.path;
}

function lookAgain() {
  rowTexts = new Map();
  headingsIn = new Map();
  headingTexts = new Map();
  lists = new Map();
  layouts = new Map();
  here = { path: pathOfPage(), url: location.href.split("#", 1)[0], origin: location.origin };
}

function once(map, key, find) {
  if (!map.has(key)) map.set(key, find(key));
  return map.get(key);
}

// Notes what an element stands for in the outline that is being taken. It counts once that part of
// the outline was shown.
function noteIdentity(number, element, role, name) {
  const entry = known.get(number);
  entry.listed = identityOf(element, role, name);
  entry.is = entry.listed.is;
  entry.first ??= listing;
  entry.last = listing;
}

// Accepts what the last outline showed about some elements, or all of them.
function accept(numbers) {
  const shown = numbers === true ? known.values() : numbers.map((number) => known.get(number));
  for (const entry of shown) if (entry?.listed) entry.shown = entry.listed;
}

// Accepts what an element stands for now: a locator has just named it.
function acceptNow(number) {
  const entry = known.get(number);
  const element = entry.element.deref();
  lookAgain();
  const role = listedRole(element);
  entry.shown = entry.listed = identityOf(element, role, nameWhole(element, role));
}

// The texts that an element stands for; most are never compared, so their words are read only then.
function identityOf(element, role, name) {
  const heading = headingOf(element);
  return {
    is: name ? `${role} "${shortened(name)}"` : role, role, name, counts: countsIn(element, role), link: role === "link" ? linkUrl(element) : "", row: textOfRow(element, role),
    heading: heading ? once(headingTexts, heading, textContentOf) : "",
    under: heading && new WeakRef(heading), path: here.path, tag: tagOf(element), place: placeOf(element),
  };
}

function pathOfPage() {
  return location.pathname + (/^#!?\//.test(location.hash) ? location.hash : "");
}

// The counts in an element after its first text; null if it is named by its text, which is its row.
function countsIn(element, role) {
  const isNamed = isNamedByText(role);
  const chunks = isLeaf(element) || !isNamed && showsOneText(element) ? [] : chunksOf(element, NOT_OF_ROW);
  return chunks.length && isNamed ? null : chunks.slice(1).filter(isNumber);
}

// The words of a name without counts; none for an element that is named by its text.
function ownWords({ name, counts }) {
  if (!counts) return [];
  const words = plainWords(name.replace(COUNTS, " ")).filter((word) => !counts.includes(word));
  return words.length ? words : [name];
}

const isNumber = (text) => /^[\d.,]+\+?$/.test(text);

// The words of a text without values that change by themselves, unless it has no others.
function stableWords(text) {
  if (!/\d/.test(text)) return plainWords(text);
  const stable = VALUES.reduce((rest, value) => rest.replace(value, " "), text.toLowerCase());
  const words = plainWords(stable);
  return words.length ? words : plainWords(text);
}

// The texts of an element, one for each text node.
function chunksOf(element, without) {
  const chunks = [];
  const visit = (node) => {
    if (kindOf(node) === Node.TEXT_NODE) {
      const text = clean(node.data);
      if (text && isShown(parentOf(node))) chunks.push(text);
    } else if (kindOf(node) === Node.ELEMENT_NODE && !SKIPPED.has(tagOf(node)) && !fits(node, without)) {
      for (const inner of renderedNodes(node)) visit(inner);
    }
  };
  for (const node of renderedNodes(element)) visit(node);
  return chunks;
}

// The text of the innermost row around an element that has words, without numbers that stand alone
// beside others: these are amounts.
function textOfRow(element, role) {
  let node = isNamedByText(role) ? element : parentOf(element);
  for (let level = 0; node && level < ROW_LEVELS_MAX; node = parentOf(node), level += 1) {
    if (!(node instanceof Element)) continue;
    if (fits(node, BOUNDARIES)) return "";
    if (!fits(node, ROWS) && node !== element && !isRepeated(node)) continue;
    const text = once(rowTexts, node, ownTextOfRow);
    if (/[\p{L}\p{N}]/u.test(text)) return text;
  }
  return "";
}

function ownTextOfRow(row) {
  const chunks = chunksOf(row, NOT_OF_ROW).filter((text, index) => index === 0 || !isNumber(text));
  return chunks.join(" ");
}

function wordsOfRow({ row }) {
  const words = stableWords(row);
  return words.length > ROW_WORDS_MAX ? [] : words;
}

function isRepeated(element) {
  const parent = propertyOf(element, "parentElement");
  return parent !== null && once(lists, parent, isList);
}

// The last heading before an element in a part of the page that has both.
function headingOf(element) {
  for (let node = element; node; node = rootNodeOf(node).host) {
    const root = rootNodeOf(node);
    const headings = once(headingsIn, root, () => [...allIn(root, HEADINGS)]);
    let [low, high] = [0, headings.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const place = invoke(headings[middle], "compareDocumentPosition", node);
      if (place & Node.DOCUMENT_POSITION_FOLLOWING) low = middle + 1;
      else high = middle;
    }
    for (const heading of headings.slice(Math.max(0, low - HEADINGS_TRIED_MAX), low).reverse()) {
      const part = parentNodeOf(heading);
      const isNear = part && (isAround(part, node) || parentNodeOf(part) && isAround(parentNodeOf(part), node));
      if (isNear && !isAround(heading, node) && isShown(heading)) return heading;
    }
  }
  return null;
}

// What has changed since an element was shown: a part of what it stood for, and its present words;
// null if it is the same.
function changeOf(entry, element) {
  const { shown } = entry;
  if (!shown) return null;
  lookAgain();
  const now = identityOf(element, shown.role, nameWhole(element, shown.role));
  if (ownWords(now).join(" ") !== ownWords(shown).join(" ")) return { part: "name", now: now.name };
  if (now.link !== shown.link) return { part: "target", now: now.link };
  if (!isSameWords(wordsOfRow(shown), wordsOfRow(now))) return { part: "row", now: wordsOfRow(now).join(" ") };
  if (!isSameHeading(shown.heading, now.heading) && !isStillUnder(shown)) return { part: "heading", now: wordsOfHeading(now.heading).join(" ") };
  if (!shown.link && now.path !== listedPath && now.path !== shown.path) return { part: "page", now: now.path };
  return null;
}

const isSameHeading = (before, after) => before === after || isSameWords(wordsOfHeading(before), wordsOfHeading(after));
const wordsOfHeading = (text) => stableWords(clean(text));

// Whether words are the same, but for some that were added or removed.
function isSameWords(before, after) {
  if (!before.length || !after.length) return before.length === 0;
  return before.length <= after.length ? isWithin(before, after) : isWithin(after, before);
}

function isWithin(words, others) {
  let next = 0;
  for (const word of others) if (word === words[next]) next += 1;
  return next === words.length;
}

// Whether the heading of an element is as it was: then only the element has moved.
function isStillUnder(shown) {
  const heading = shown.under?.deref();
  return heading !== undefined && propertyOf(heading, "isConnected") && isSameHeading(shown.heading, textContentOf(heading));
}

// The new element for the same thing, with the same words at the same place; null if there is none.
function successorOf(entry) {
  const { shown, last } = entry;
  if (!shown) return null;
  const isNew = (element) => {
    const number = numbers.get(element);
    return number === undefined || (known.get(number).first ?? Infinity) > last;
  };
  const isThere = ({ x, y, width, height }) => Math.abs(x + width / 2 - shown.place.x - shown.place.width / 2) <= SAME_PLACE
    && Math.abs(y + height / 2 - shown.place.y - shown.place.height / 2) <= SAME_PLACE;
  return matching(document, shown.tag).find((element) => isNew(element) && isThere(placeOf(element)) && changeOf(entry, element) === null) ?? null;
}

// Whether the element with a number stands for what it was shown as: {} or the {problem}.
function checked(number, shown) {
  if (shown) accept(shown);
  const { element, problem, was } = found(number);
  if (!element) return { problem, detail: was };
  const change = changeOf(known.get(number), element);
  return change ? { problem: `another ${change.part}`, detail: known.get(number).shown.is, now: shortened(change.now) } : {};
}
