// Descriptions of elements as people see them, detailed enough to find an element again after the
// page has changed.

const SAME_NAME_MAX = 3000;
const OTHERS_MAX = 300;
const EQUALS_MAX = 20;
const TEXT_DESCRIBED_MAX = 200;
const AROUND_MAX = 400;
const AROUND_LEVELS_MAX = 8;
const NEAR_NODES_MAX = 40;
const NEAR_TEXT_MAX = 80;

const LANDMARKS = new Set([
  "banner", "complementary", "contentinfo", "form", "main", "navigation", "region", "search",
  "dialog", "alertdialog",
]);
const STRUCTURE = new Set([
  ...LANDMARKS, "article", "cell", "gridcell", "group", "grid", "list", "listitem", "menu", "menubar", "radiogroup",
  "row", "tablist", "tabpanel", "table", "toolbar", "tree", "treegrid",
]);
const CONFIDENTIAL = /\b(current-password|new-password|one-time-code|cc-number|cc-csc)\b/;

// The element with a number and those with the same role and name, in document order.
function describedElement(number) {
  const { element } = found(number);
  if (!element) return { element: null, place: 0, equals: [], count: 0 };
  const all = matching(document, "*");
  const headings = headingsOf(all);
  const role = describedRole(element);
  const name = nameToCompare(element);
  const equals = all.filter((one) => one === element || isEqualTo(one, role, name));
  const inside = countsInside(equals);
  return {
    element: descriptionOf(element, headings, inside),
    place: equals.indexOf(element),
    equals: equals.filter((one) => one !== element).slice(0, EQUALS_MAX).map((one) => descriptionOf(one, headings, inside)),
    count: equals.length,
  };
}

// The candidates for a description with one of these roles: first all elements with the same name,
// then the first of the others.
function describedCandidates(roles, name, text) {
  const all = matching(document, "*");
  const headings = headingsOf(all);
  const wanted = new Set(roles);
  const found = all.filter((one) => isPresent(one) && wanted.has(describedRole(one)));
  const same = text ? innermost(all.filter((one) => isShown(one) && isSameText(textOf(one), text))) : [];
  const named = Map.groupBy(new Set([...found, ...same]), (one) => isSameText(nameToCompare(one), name));
  const candidates = [...(named.get(true) ?? []).slice(0, SAME_NAME_MAX), ...(named.get(false) ?? []).slice(0, OTHERS_MAX)];
  const groups = Map.groupBy(candidates, (one) => `${describedRole(one)} ${compared(nameToCompare(one))}`);
  const insides = new Map();
  for (const group of groups.values()) {
    const inside = countsInside(group);
    for (const one of group) insides.set(one, inside);
  }
  return { elements: candidates.map((one) => descriptionOf(one, headings, insides.get(one))) };
}

function describedRole(element) {
  return listedRole(element) || tagOf(element).toLowerCase();
}

function isEqualTo(element, role, name) {
  return isPresent(element) && describedRole(element) === role && isSameText(nameToCompare(element), name);
}

// Fields are often hidden behind the elements that a page draws for them.
function isPresent(element) {
  return isShown(element) || fits(element, "input:not([type=hidden]), select, textarea");
}

function headingsOf(all) {
  const headings = new Map();
  let last = "";
  for (const element of all) {
    if (ariaRoleOf(element) === "heading" && isShown(element)) last = clean(textOf(element)).slice(0, NEAR_TEXT_MAX);
    headings.set(element, last);
  }
  return headings;
}

function descriptionOf(element, headings, inside) {
  const attribute = (name) => attributeOf(element, name) ?? "";
  const type = tagOf(element) === "INPUT" ? propertyOf(element, "type") : "";
  const ancestors = structureAround(element);
  const landmark = ancestors.find(({ role }) => LANDMARKS.has(role));
  return {
    ref: String(numberOf(element)),
    role: describedRole(element),
    name: nameToCompare(element).toWellFormed(),
    text: type === "password" ? "" : clean(textOf(element)).slice(0, TEXT_DESCRIBED_MAX).toWellFormed(),
    tag: tagOf(element).toLowerCase(),
    kind: type,
    id: attribute("id").toWellFormed(),
    field: attribute("name").toWellFormed(),
    choice: type === "radio" || type === "checkbox" ? attribute("value").toWellFormed() : "",
    test_id: (TEST_ID_ATTRIBUTES.map(attribute).find(Boolean) ?? "").toWellFormed(),
    placeholder: attribute("placeholder").toWellFormed(),
    title: (attribute("title") || attribute("alt")).toWellFormed(),
    href: targetPath(element).toWellFormed(),
    heading: (headings.get(element) ?? "").toWellFormed(),
    landmark: landmark ? `${landmark.role} ${landmark.name}`.trim().toWellFormed() : "",
    ancestors: ancestors.map(({ role }) => role),
    around: textsAround(element, inside),
    before: nearText(element, "previousNode"),
    after: nearText(element, "nextNode"),
    shown: isShown(element),
    confidential: type === "password" || CONFIDENTIAL.test(attribute("autocomplete")),
    css: cssPath(element),
    page: location.pathname,
  };
}

// The path of a link, without values that change from visit to visit.
function targetPath(element) {
  const url = String(propertyOf(element, "href")?.baseVal ?? propertyOf(element, "href") ?? "");
  if (!/^https?:/.test(url)) return "";
  return (url.startsWith(`${location.origin}/`) ? url.slice(location.origin.length) : url).slice(0, TEXT_DESCRIBED_MAX);
}

function structureAround(element) {
  const found = [];
  for (let node = parentOf(element); node; node = parentOf(node)) {
    if (!(node instanceof Element)) continue;
    const role = ariaRoleOf(node);
    if (STRUCTURE.has(role)) found.push({ role, name: LANDMARKS.has(role) ? nameOf(node, role) : "" });
  }
  return found;
}

// The number of these elements in each of their ancestors.
function countsInside(elements) {
  const counts = new Map();
  for (const element of elements) {
    for (let node = parentOf(element); node; node = parentOf(node)) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

// The texts of the ancestors that contain no other such element, innermost first, each longer than
// the one before.
function textsAround(element, inside) {
  const texts = [];
  let last = spacedText(element);
  for (let node = parentOf(element); node && inside.get(node) === 1 && texts.length < AROUND_LEVELS_MAX; node = parentOf(node)) {
    if (!(node instanceof Element)) continue;
    if ((textContentOf(node) ?? "").length > 8 * AROUND_MAX || tagOf(node) === "BODY") break;
    const text = spacedText(node);
    if (text.length > AROUND_MAX) break;
    if (text && text !== last) texts.push(text.toWellFormed());
    last = text;
  }
  return texts;
}

// The visible text of an element, with a space between its parts.
function spacedText(element) {
  const parts = [];
  const visit = (node) => {
    if (kindOf(node) === Node.TEXT_NODE) parts.push(clean(node.data));
    else if (node instanceof Element && !UNREAD.has(tagOf(node)) && isShown(node)) [...childrenOf(rootOf(node) ?? node)].forEach(visit);
  };
  [...childrenOf(rootOf(element) ?? element)].forEach(visit);
  return parts.filter(Boolean).join(" ");
}

function nearText(element, direction) {
  const seen = invoke(document, "createTreeWalker", rootNodeOf(element));
  seen.currentNode = element;
  for (let step = 0; step < NEAR_NODES_MAX; step += 1) {
    const node = seen[direction]();
    if (!node) return "";
    if (kindOf(node) !== Node.TEXT_NODE || !(parentNodeOf(node) instanceof Element)) continue;
    if (contains(element, node) || UNREAD.has(tagOf(parentNodeOf(node)))) continue;
    const text = clean(node.data);
    if (/[\p{L}\p{N}]/u.test(text) && isShown(parentNodeOf(node))) return text.slice(0, NEAR_TEXT_MAX).toWellFormed();
  }
  return "";
}

// A selector for external scripts, which cannot look into shadow roots.
function cssPath(element) {
  const parts = [];
  for (let node = element; node instanceof Element; node = propertyOf(node, "parentElement")) {
    const own = propertyOf(node, "id");
    if (own && invoke(document, "querySelectorAll", `#${CSS.escape(own)}`).length === 1) {
      parts.unshift(`#${CSS.escape(own)}`);
      break;
    }
    const parent = propertyOf(node, "parentElement");
    const alike = parent ? [...propertyOf(parent, "children")].filter((one) => tagOf(one) === tagOf(node)) : [];
    const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(node) + 1})` : "";
    parts.unshift(`${CSS.escape(propertyOf(node, "localName"))}${place}`);
  }
  return parts.join(" > ").toWellFormed();
}
