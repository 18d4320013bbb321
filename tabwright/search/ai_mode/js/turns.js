// The turns of a thread: each is a question with its answer, a `ThreadTurn` of page_state.py.

const COLUMN_TEXT_MIN = 80;
const LOADING_TEXT_MAX = 60;

const turns = turnElements();

function turnElements() {
  const light = turnsIn(document);
  if (light.length) return light;
  const roots = everyRoot();
  const marked = roots.flatMap(turnsIn);
  return marked.length ? marked : roots.flatMap(turnsByHeading);
}

function turnsIn(root) {
  const lists = TURN.map((selector) => outermost([...root.querySelectorAll(selector)]));
  const rendered = lists.map((list) => list.filter(isShown));
  return rendered.reduce((most, list) => (list.length > most.length ? list : most), []);
}

// Without its attributes, a turn is the content under one echoed question, a heading of level 2.
function turnsByHeading(root) {
  const headings = [...root.querySelectorAll('[role="main"] [role="heading"][aria-level="2"]')];
  const echoes = echoesAmong(headings.filter(isShown));
  return echoes.map((echo) => {
    let turn = echo;
    const alone = (node) => echoes.filter((other) => node.contains(other)).length === 1;
    while (!turn.parentElement.matches('[role="main"]') && alone(turn.parentElement)) {
      turn = turn.parentElement;
    }
    return turn;
  });
}

// The headings of an answer are at another place in their turn than the question, or have another
// class.
function echoesAmong(headings) {
  const first = headings.find(isEcho) ?? headings[0];
  const isLikeIt = (one) => one.localName === first.localName && one.className === first.className;
  return headings.filter((one) => isLikeIt(one) && depthOf(one) === depthOf(first));
}

function isEcho(heading) {
  return squeeze(unitsOf(heading).join(" ")) === squeeze(question ?? "");
}

function depthOf(element) {
  let depth = 0;
  for (let node = element; node; node = node.parentElement) depth += 1;
  return depth;
}

// A page may show its newest turn first.
function ownTurn() {
  if (!question) turns.forEach((turn) => memory.earlier.add(turn));
  const asks = (turn) => [...turn.querySelectorAll(QUESTION)].slice(0, 1).some(isEcho);
  return turns.findLast((turn) => !memory.earlier.has(turn) && asks(turn)) ?? turns.at(-1);
}

function readTurn(turn) {
  const parts = descendants(turn);
  const marked = markedColumn(parts);
  const aside = asidesOf(parts, marked);
  const echo = echoOf(parts, marked);
  const cards = cardsOf(turn, parts, marked, aside);
  const left = new Set([echo, ...aside, ...cards.map((card) => card.box)]);
  const textOf = textWithout(left);
  const column = marked ?? largestColumn(turn, left, textOf);
  const { bar, footnote } = actionBar(parts, column, textOf);
  const complete = completeness(turn, parts, column) === "true";
  const end = bar?.matches(ACTIONS) ? bar : null;
  const further = marked ? furtherColumns(marked, parts, left, bar) : [];
  const before = further.filter((part) => isBefore(part, column));
  const columns = [...before, column, ...further.filter((part) => !before.includes(part))];
  const except = left.union(new Set([bar]));
  const nodes = columns.flatMap((part) => {
    const kids = columnNodes(part, except, end, complete);
    return part === column ? kids : [{ kind: "box", kids }];
  });
  const loading = isLoading(turn, aside);
  const isAnswer = marked || bar || !loading || textLength(nodes) >= COLUMN_TEXT_MIN;
  return {
    identity: identityOf(turn),
    query: echo ? squeeze(unitsOf(echo).join(" ")) : "",
    column: isAnswer ? nodes : [],
    cards: cards.map(({ href, label, units }) => ({ href, label, units })),
    aside: [...aside].some(isFilled),
    sources_pending: [...aside].some((part) => isLoading(part, new Set())),
    complete,
    incomplete: completeness(turn, parts, column) === "false",
    actions: bar !== null,
    footnote,
    loading,
    error: alertText(parts),
    counts: countsIn(parts, aside),
  };
}

// The same for the same element, as long as the document lives.
function identityOf(turn) {
  if (!memory.turns.has(turn)) memory.turns.set(turn, ++memory.turnsSeen);
  return `${performance.timeOrigin}/${memory.turns.get(turn)}`;
}

function echoOf(parts, column) {
  const headings = parts.filter((part) => part.matches(QUESTION));
  return headings.find((part) => !column?.contains(part) && isShown(part)) ?? null;
}

// The turn's own mark of its end: "true", "false", or nothing.
function completeness(turn, parts, column) {
  const scope = [turn, ...parts].find((part) => part.matches('[data-scope-id="turn"]'));
  if (scope) return scope.dataset.complete;
  const marks = [turn.parentElement?.closest('[data-scope-id="turn"]')?.dataset.complete];
  for (let node = column; node && node !== parentOf(turn); node = parentOf(node)) {
    marks.push(node.dataset?.complete);
  }
  return marks.includes("true") ? "true" : marks.find(Boolean);
}

function textLength(nodes) {
  return nodes.reduce(
    (sum, node) => sum + (node.text ?? "").trim().length + textLength(node.kids ?? []),
    0,
  );
}

function alertText(parts) {
  const alerts = parts.filter((part) => part.matches(ALERT) && isShown(part));
  return squeeze(alerts.map((alert) => alert.textContent).join(" "));
}

// Marks of loading, shown in place of text that comes later.

// Whether a mark of loading is shown in an element, and not within one of `except`.
function isLoading(element, except) {
  const parts = [element, ...descendants(element)];
  const counts = (part) => !part.closest(DIALOG) && !within(part, except) && isShown(part);
  if (parts.some((part) => part.matches(BUSY) && counts(part))) return true;
  const moving = element.getAnimations({ subtree: true }).filter(isEndless);
  if (moving.some((motion) => counts(motion.effect.target))) return true;
  return parts.some((part) => part.localName === "div" && counts(part) && isSkeleton(part));
}

function isEndless(motion) {
  return motion.effect?.target && motion.effect.getTiming().iterations === Infinity;
}

// Grey bars in place of text, with a word such as "Searching" at most.
function isSkeleton(element) {
  const said = `a[href],p,ul,ol,table,tr,td,th,pre,hr,${BUTTON},${HEADING}`;
  if (element.querySelector(said) || element.textContent.trim().length > LOADING_TEXT_MAX) {
    return false;
  }
  const parts = descendants(element); // in shadow roots too
  if (parts.some((part) => part.matches(said))) return false;
  return bareText(element).length <= LOADING_TEXT_MAX && parts.filter(isBar).length >= 2;
}

function isBar(element) {
  if (element.firstElementChild || element.textContent.trim()) return false;
  if (element.matches(UNREAD) || isInline(styleOf(element))) return false;
  const box = element.getBoundingClientRect();
  return box.width > 2 && box.height > 2;
}
