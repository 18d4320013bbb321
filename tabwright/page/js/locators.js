// Elements by locators: the steps of `tabwright.protocol.locators`.

const MATCHES_SHOWN = 20;

// Fields that ARIA has no role for.
const DATE_ROLES = new Set(["date", "time", "month", "week", "datetime"]);

const TEST_ID_ATTRIBUTES = ["data-testid", "data-test-id", "data-test", "data-cy"];

// The elements that a locator matches, including those in shadow roots: how many, and the first.
function located(steps) {
  const matches = allMatches(steps);
  return { count: matches.length, matches: matches.slice(0, MATCHES_SHOWN).map(referenced) };
}

function allMatches(steps) {
  let matches = [document];
  for (const step of steps) {
    if (step.kind === "nth") {
      const index = Number(step.value.text);
      matches = matches.slice(index, index + 1 || undefined);
    } else {
      const all = new Set(matches.flatMap((root) => matchesOf(root, step)));
      matches = bestOf([...all], step);
    }
  }
  return matches;
}

function isVisibleMatch(steps) {
  return allMatches(steps).some(isShown);
}

// The texts of all matches, or their number.
function readAll(steps, what) {
  const matches = allMatches(steps);
  if (what === "count") return [String(matches.length)];
  return matches.slice(0, ITEMS_MAX).map((element) => readOne(element, what).toWellFormed());
}

function readOne(element, what) {
  if (what === "href") return propertyOf(element, "href")?.baseVal ?? propertyOf(element, "href") ?? "";
  const value = valueOf(element, listedRole(element));
  return what === "value" ? value : clean(textOf(element)) || clean(value) || nameOf(element, listedRole(element));
}

// Hidden and folded elements count only if no others match, partial matches only if none is exact.
function bestOf(elements, step) {
  const shown = elements.filter(isShown);
  const some = shown.length ? shown : elements;
  const open = some.length > 1 ? some.filter((element) => !isInFolded(element)) : some;
  const all = open.length ? open : some;
  const texts = textsToCompare(step);
  const whole = texts && all.filter((element) => texts(element).some((text) => isSameText(text, wantedText(step).text)));
  const best = whole?.length ? whole : all;
  const controls = step.kind === "words" ? best.filter(hasControlRole) : [];
  return controls.length ? controls : best;
}

function isInFolded(element) {
  for (let node = element; node; node = parentOf(node)) {
    if (node instanceof Element && isFolded(node, getComputedStyle(node))) return true;
  }
  return false;
}

function wantedText(step) {
  return step.kind === "role" ? step.name : step.value;
}

function matchesOf(root, step) {
  if (step.kind === "ref") return [found(step.ref).element].filter(Boolean);
  if (step.kind === "css") return matching(root, step.value.text).filter((element) => !step.name || isLike(textOf(element), step.name));
  if (step.kind === "xpath") return byXPath(root, step.value.text);
  if (step.kind === "words") return byWords(root, step);
  const elements = matching(root, "*");
  if (step.kind === "role") return elements.filter((element) => hasRole(element, step) && hasStates(element, step.states));
  const texts = textsToCompare(step);
  const alike = elements.filter((element) => texts(element).some((text) => isLike(text, step.value)));
  return step.kind === "text" ? innermost(alike) : alike;
}

function byXPath(root, path) {
  const matches = document.evaluate(path, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  const nodes = Array.from({ length: matches.snapshotLength }, (_, index) => matches.snapshotItem(index));
  return nodes.map((node) => (node instanceof Element ? node : parentOf(node))).filter((node) => node instanceof Element);
}

// The elements of plain words as a CSS selector, or else those that are called so. Words with
// capitals are no selector: "Search" is a button more often than an element of that name.
function byWords(root, step) {
  const selected = step.value.exact || /\p{Lu}/u.test(step.value.text) ? [] : matchingAnything(root, step.value.text);
  if (selected.some(isShown)) return selected;
  const texts = textsToCompare(step);
  const called = matching(root, "*").filter((element) => texts(element).some((text) => isLike(text, step.value)));
  const controls = new Set(called.filter(hasControlRole));
  const others = innermost(called).filter((element) => !isInAny(element, controls));
  return [...selected, ...controls, ...others];
}

function matchingAnything(root, words) {
  try {
    return matching(root, words);
  } catch {
    return []; // they are no selector
  }
}

function hasControlRole(element) {
  return CONTROLS.has(roleOf(element));
}

function isInAny(element, others) {
  for (let node = element; node; node = parentOf(node)) if (others.has(node)) return true;
  return false;
}

// The texts of an element that a step compares; null if it compares none.
function textsToCompare(step) {
  switch (step.kind) {
    case "role": return step.name ? (element) => [nameToCompare(element)] : null;
    case "label": return (element) => (isField(element) ? [nameOf(element, roleOf(element))] : []);
    case "text": return (element) => [textOf(element)];
    case "words": return namesToCompare;
    case "placeholder": return (element) => [attributeOf(element, "placeholder") ?? ""];
    case "title": return (element) => [attributeOf(element, "title") ?? ""];
    case "alt": return (element) => [attributeOf(element, "alt") ?? ""];
    case "testid": return (element) => TEST_ID_ATTRIBUTES.map((name) => attributeOf(element, name) ?? "");
    default: return null;
  }
}

function namesToCompare(element) {
  if (!hasControlRole(element)) return [textOf(element)];
  const attributes = ["placeholder", "title", "name", "id", ...TEST_ID_ATTRIBUTES];
  return [nameOf(element, roleOf(element)), ...attributes.map((name) => attributeOf(element, name) ?? "")];
}

function isLike(text, wanted) {
  if (!text) return false;
  return wanted.exact ? isSameText(text, wanted.text) : compared(text).includes(compared(wanted.text));
}

function isSameText(text, wanted) {
  return compared(text) === compared(wanted);
}

// Without the letters of icon fonts, which Chromium includes in names and which cannot be typed.
function compared(text) {
  return clean(text.replace(/[\ue000-\uf8ff]/g, "")).toLowerCase();
}

const UNREAD = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "TITLE", "HTML"]);

function textOf(element) {
  if (UNREAD.has(tagOf(element)) || tagOf(element) === "SLOT") return "";
  if (tagOf(element) === "INPUT") return /^(submit|button|reset)$/.test(propertyOf(element, "type")) ? propertyOf(element, "value") : "";
  return shownText(element) ?? "";
}

function innermost(elements) {
  const outer = new Set();
  for (const element of elements) {
    for (let node = parentOf(element); node; node = parentOf(node)) outer.add(node);
  }
  return elements.filter((element) => !outer.has(element));
}

function isField(element) {
  return fits(element, "input:not([type=hidden]), select, textarea, meter, progress, [role]") || isEditingHost(element);
}

function listedRole(element) {
  const role = roleOf(element);
  return controlRole(element, role, { pointed: getComputedStyle(element).cursor === "pointer" }) || role;
}

function hasRole(element, step) {
  const wanted = step.value.text;
  const listed = listedRole(element);
  if (listed !== wanted && ariaRoleOf(element) !== wanted && !(wanted === "textbox" && DATE_ROLES.has(listed))) return false;
  return !step.name || isLike(nameToCompare(element), step.name);
}

// A row or an item has no accessible name, but people name it by its text.
function nameToCompare(element) {
  return nameOf(element, listedRole(element)) || (/^(row|listitem)$/.test(ariaRoleOf(element)) ? textOf(element) : "");
}

function hasStates(element, states) {
  const role = listedRole(element);
  const listed = new Set(statesOf(element, role));
  return states.every(([state, wanted]) => {
    if (state === "level") return String(levelOf(element)) === wanted;
    if (state === "expanded") return wanted === "true" ? listed.has("expanded") : listed.has("collapsed");
    const has = listed.has(state) || wanted === "mixed" && listed.has("mixed");
    return wanted === "false" ? !has : has;
  });
}
