// The columns of a turn: the parts that contain the text of its answer, and where it ends.

const FOOTNOTE_MAX = 160;

function markedColumn(parts) {
  const marked = COLUMN.map((selector) => parts.filter((part) => part.matches(selector)));
  return (marked.find((list) => list.length) ?? []).find(isShown) ?? null;
}

// Other parts of the turn that contain text of the answer: marked like its column, or next to it.
function furtherColumns(column, parts, left, bar) {
  const isMarked = (part) => COLUMN.some((selector) => part.matches(selector));
  const isBeside = (part) => part.parentElement === column.parentElement && holdsBlocks(part);
  const isApart = (part) => !part.contains(column) && !column.contains(part);
  const found = parts.filter((part) => isApart(part) && (isMarked(part) || isBeside(part)));
  const isRead = (part) => isShown(part) && !within(part, left) && !part.closest(DIALOG);
  return outermost(found).filter((part) => isRead(part) && !(bar && isBefore(bar, part)));
}

function holdsBlocks(part) {
  if (!isBox(part) || part.matches(`${UNREAD},${ASIDE}`) || isButtonRow(part)) return false;
  return (part.matches(BLOCKS) || part.querySelector(BLOCKS) !== null) && bareText(part) !== "";
}

function isBefore(one, other) {
  return Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
}

// The part of the turn that contains the text, if no attribute marks it: down through only
// children, and past the sources next to the largest child.
function largestColumn(turn, left, textOf) {
  const sizeOf = (node) => textOf(node).length;
  const isPassed = (part, largest) => beside(part, largest) && isOfSources(part, left, textOf);
  const larger = (one, other) => (sizeOf(other) > sizeOf(one) ? other : one);
  let column = turn;
  while (true) {
    const parts = Array.from(kidsOf(column)).filter(sizeOf);
    const largest = parts.length ? parts.reduce(larger) : null;
    const others = parts.filter((part) => part !== largest);
    if (!isBox(largest) || !others.every((part) => isPassed(part, largest))) return column;
    column = largest;
  }
}

function isBox(node) {
  if (node?.nodeType !== Node.ELEMENT_NODE || node.matches(ALERT)) return false;
  return kindOf(node, styleOf(node)) === "box";
}

function beside(one, other) {
  if (one.nodeType !== Node.ELEMENT_NODE) return false;
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  return a.left >= b.right || a.right <= b.left;
}

// Whether a part contains source cards, or mostly links; a column of an answer has text of its own.
function isOfSources(part, left, textOf) {
  if ([...left].some((one) => one && within(one, new Set([part])))) return true;
  const links = [...part.querySelectorAll("a[href]")].map(textOf);
  return 2 * links.join("").length >= textOf(part).length;
}

// The action bar; without its attribute, it is a row of buttons after the text. The text between
// such a row and the end of the column is its footnote: a notice, or the rest of the answer.
function actionBar(parts, column, textOf) {
  const marked = parts.filter((part) => part.matches(ACTIONS));
  if (marked.length) return { bar: marked.find(isShown) ?? null, footnote: "" };
  for (const row of parts.filter(isButtonRow).reverse()) {
    if (!column.contains(row)) {
      if (parts.indexOf(row) > parts.indexOf(column)) return { bar: row, footnote: "" };
      continue;
    }
    const footnote = textAround(row, column, "nextSibling", textOf);
    const follows = textAround(row, column, "previousSibling", textOf);
    if (follows && footnote.length <= FOOTNOTE_MAX) return { bar: row, footnote };
  }
  return { bar: null, footnote: "" };
}

function isButtonRow(element) {
  if (element.querySelectorAll(BUTTON).length < 3 || bareText(element)) return false;
  return !element.querySelector("a[target]") && !element.closest(DIALOG) && isShown(element);
}

// The text of the column after an element of it (`nextSibling`), or before it.
function textAround(element, column, direction, textOf) {
  let text = "";
  for (let node = element; node !== column; node = node.parentNode) {
    for (let next = node[direction]; next; next = next[direction]) text += textOf(next);
  }
  return text;
}
