// Elements by locators: the steps of `tabwright.protocol.locators`.

const MATCHES_SHOWN = 20;

// Role words of outlines that are more specific than ARIA's.
const MORE_GENERAL_ROLES = {
  password: "textbox", date: "textbox", time: "textbox", month: "textbox", week: "textbox", datetime: "textbox",
  searchbox: "textbox", disclosure: "button", file: "button", color: "button", image: "img", clickable: "generic",
};

const TEST_ID_ATTRIBUTES = ["data-testid", "data-test-id", "data-test", "data-cy"];

// The elements that a locator matches, including those in shadow roots: how many, and the first.
function located(steps) {
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
  return { count: matches.length, matches: matches.slice(0, MATCHES_SHOWN).map(referenced) };
}

// Hidden elements count only if no shown one matches, partial matches only if there is no whole one.
function bestOf(elements, step) {
  const shown = elements.filter(isShown);
  const all = shown.length ? shown : elements;
  const texts = textsToCompare(step);
  const whole = texts && all.filter((element) => texts(element).some((text) => isSameText(text, wantedText(step).text)));
  return whole?.length ? whole : all;
}

function wantedText(step) {
  return step.kind === "role" ? step.name : step.value;
}

function matchesOf(root, step) {
  if (step.kind === "css") return matching(root, step.value.text);
  const elements = matching(root, "*");
  if (step.kind === "role") return elements.filter((element) => hasRole(element, step) && hasStates(element, step.states));
  const texts = textsToCompare(step);
  const found = elements.filter((element) => texts(element).some((text) => isLike(text, step.value)));
  return step.kind === "text" ? innermost(found) : found;
}

// The texts of an element that a step compares; null if it compares none.
function textsToCompare(step) {
  switch (step.kind) {
    case "role": return step.name ? (element) => [nameForRole(element)] : null;
    case "label": return (element) => (isField(element) ? [nameOf(element, roleOf(element))] : []);
    case "text": return (element) => [textOf(element)];
    case "placeholder": return (element) => [attributeOf(element, "placeholder") ?? ""];
    case "title": return (element) => [attributeOf(element, "title") ?? ""];
    case "alt": return (element) => [attributeOf(element, "alt") ?? ""];
    case "testid": return (element) => TEST_ID_ATTRIBUTES.map((name) => attributeOf(element, name) ?? "");
    default: return null;
  }
}

function isLike(text, wanted) {
  if (!text) return false;
  return wanted.exact ? isSameText(text, wanted.text) : clean(text).toLowerCase().includes(clean(wanted.text).toLowerCase());
}

function isSameText(text, wanted) {
  return clean(text).toLowerCase() === clean(wanted).toLowerCase();
}

const UNREAD = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "TITLE", "HTML"]);

function textOf(element) {
  if (UNREAD.has(tagOf(element))) return "";
  if (tagOf(element) === "INPUT") return /^(submit|button|reset)$/.test(element.type) ? element.value : "";
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

// Until roles of all elements are computed: those that no outline needs.
const ROLES_OF_TEXT = { H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading",
  TR: "row", TD: "cell", TH: "columnheader", LI: "listitem", P: "paragraph" };

function hasRole(element, step) {
  const roles = [listedRole(element), roleOf(element), ROLES_OF_TEXT[tagOf(element)]].filter(Boolean);
  if (!roles.some((role) => role === step.value.text || MORE_GENERAL_ROLES[role] === step.value.text)) return false;
  return !step.name || isLike(nameForRole(element), step.name);
}

const NAMED_BY_TEXT = new Set(["heading", "row", "cell", "columnheader", "listitem"]);

function nameForRole(element) {
  const role = listedRole(element) || ROLES_OF_TEXT[tagOf(element)];
  return nameOf(element, role) || (NAMED_BY_TEXT.has(role) ? shortened(shownText(element)) : "");
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
