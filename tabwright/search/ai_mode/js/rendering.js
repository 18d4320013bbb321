// Which elements are rendered, and where lines begin.

const TOGGLE = "[aria-expanded],[aria-pressed],[aria-selected]";
const CLOSED = '[aria-expanded="false"]:not([aria-controls],[aria-haspopup])';
const WORDS = "span,a,b,i,em,strong,mark,bdi";
const ROW_TEXT_MAX = 160;

// The page does not change during a reading, so each answer is computed once. If the computation
// depends on itself, for example through elements that refer to each other, the answer is false.
function remembered(answer) {
  const answers = new Map();
  return (element) => {
    if (!answers.has(element)) {
      answers.set(element, undefined);
      answers.set(element, answer(element));
    }
    return answers.get(element);
  };
}

const styleOf = remembered((element) => getComputedStyle(element));

const isHidden = remembered((element) => {
  const style = styleOf(element);
  if (style.display === "none" || style.contentVisibility === "hidden") return true;
  if (style.display === "contents") return false;
  if (style.transform.startsWith("matrix(0, 0, 0, 0,")) return true;
  return isTransparent(element, style) || isClipped(element, style) || isOffScreen(style);
});

const isRendered = remembered((element) => {
  const parent = parentOf(element);
  if (parent?.nodeType === Node.ELEMENT_NODE && !isRendered(parent)) return false;
  return !isHidden(element);
});

const isShown = remembered(
  (element) => isRendered(element) && styleOf(element).visibility === "visible",
);

// Whether its text is painted, or will be once a reader opens the element that hides it.
const isReadable = remembered((element) => {
  if (styleOf(element).visibility === "visible" || isFolded(element)) return true;
  const parent = parentOf(element);
  if (parent?.nodeType !== Node.ELEMENT_NODE) return false;
  return styleOf(parent).visibility !== "visible" && isReadable(parent);
});

// Words fade in while the answer streams; these will become visible and do not count as
// transparent.
function isTransparent(element, style) {
  if (style.opacity !== "0") return false;
  return !element.getAttributeNames().some((name) => /^data-(sae|animation)/.test(name));
}

function isClipped(element, style) {
  if (style.position === "absolute" && /^rect\((0|1)px, (0|1)px/.test(style.clip)) return true;
  if (/^(inset\((50|100)%|circle\(0)/.test(style.clipPath)) return true;
  if (style.overflowX === "visible" || style.display === "inline") return false;
  if (isInFold(element)) return false;
  const box = element.getBoundingClientRect();
  return box.width <= 1 || box.height <= 1;
}

function isOffScreen(style) {
  if (style.position !== "absolute" && style.position !== "fixed") return false;
  return parseFloat(style.left) <= -500 || parseFloat(style.top) <= -500;
}

// Whether an element is in a fold that a reader can open; it counts although it is not laid out
// yet.
const isFolded = remembered((element) => {
  if (element.matches(`details:not([open]),[hidden="until-found"],${PANEL}`)) return true;
  if (isCollapsed(element) || isOpenedBeside(element)) return true;
  const opened = element.id && `:is(${TOGGLE})[aria-controls~="${CSS.escape(element.id)}"]`;
  if (opened && element.getRootNode().querySelector(opened)) return true;
  const tabs = [...element.querySelectorAll(PANEL)].map(tabOf);
  return tabs.some((tab) => tab && !element.contains(tab) && isRendered(tab));
});

const isInFold = remembered((element) => {
  const parent = parentOf(element);
  return isFolded(element) || (parent?.nodeType === Node.ELEMENT_NODE && isInFold(parent));
});

function isCollapsed(element) {
  const style = styleOf(element);
  return style.maxHeight === "0px" && style.overflowY !== "visible" && element.scrollHeight > 1;
}

// A button next to an element opens it, or a button after its list; or one of several choices shows
// it.
function isOpenedBeside(element) {
  const parent = element.parentElement;
  if (!parent || isLaidOut(element)) return false;
  const choices = [...parent.children].filter((one) => one.matches('input[type="radio"]'));
  if (choices.length > 1 && !element.matches("input,label")) return true;
  const beside = [element.previousElementSibling, element.nextElementSibling];
  beside.push(parent.nextElementSibling, isLaidOut(parent) ? null : parent.previousElementSibling);
  const buttons = beside.map((one) => (one?.matches(CLOSED) ? one : one?.querySelector(CLOSED)));
  return buttons.some((button) => button && (isLaidOut(button) || isInFold(button)));
}

function isLaidOut(element) {
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.height > 1;
}

function isInline(style) {
  return /^(inline|ruby|contents)/.test(style.display);
}

// Whether the element is in a short row within a line: it is laid out as a block, but
// begins no line.
const isInRow = remembered((element) => {
  const parent = parentOf(element);
  return parent?.nodeType === Node.ELEMENT_NODE && (isRow(parent) || isInRow(parent));
});

function isRow(element) {
  const { display, flexDirection } = styleOf(element);
  if (!/^inline-(flex|grid)$/.test(display) || flexDirection.startsWith("column")) return false;
  return element.textContent.trim().length <= ROW_TEXT_MAX && !element.querySelector(BLOCKS);
}

function isWithinLine(element, style) {
  return isInline(style) || isInRow(element);
}

// The separators between the words of an element and its neighbours in a line, before and after it.
function edgesOf(element, style) {
  if (element.localName === "rt") return ["(", ")"];
  if (element.localName === "q") return ["\u201c", "\u201d"];
  if (element.matches(BUTTON) && element.previousSibling?.nodeType === Node.ELEMENT_NODE) {
    return [" ", ""];
  }
  if (isInline(style) || !isInRow(element)) return ["", ""];
  const touches = element.matches(WORDS) && !(parseFloat(styleOf(parentOf(element)).columnGap) > 0);
  return touches ? ["", ""] : [" ", " "];
}
