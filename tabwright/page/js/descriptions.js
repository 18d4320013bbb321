// What people know an element by: enough to find it again on a page that has changed meanwhile.

const DESCRIBED_MAX = 1000;
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

// The element of a number and those that have the same role and name, in the order of the document.
function describedElement(number) {
  const { element } = found(number);
  if (!element) return { element: null, place: 0, equals: [], count: 0 };
  const all = matching(document, "*");
  const headings = headingsOf(all);
  const role = describedRole(element);
  const name = nameToCompare(element);
  const equals = all.filter((one) => one === element || isEqualTo(one, role, name));
  const others = equals.filter((one) => one !== element);
  return {
    element: descriptionOf(element, headings, levelsWithout(element, others)),
    place: equals.indexOf(element),
    equals: others.slice(0, EQUALS_MAX).map((one) => (
      descriptionOf(one, headings, levelsWithout(one, equals.filter((other) => other !== one))))),
    count: equals.length,
  };
}

// The elements that can be what a description with one of these roles was of.
function describedCandidates(roles, text) {
  const all = matching(document, "*");
  const headings = headingsOf(all);
  const wanted = new Set(roles);
  const found = all.filter((one) => isPresent(one) && wanted.has(describedRole(one)));
  const same = text ? innermost(all.filter((one) => isShown(one) && isSameText(textOf(one), text))) : [];
  const candidates = [...new Set([...found, ...same])];
  return { count: candidates.length, elements: candidates.slice(0, DESCRIBED_MAX).map((one) => descriptionOf(one, headings, AROUND_LEVELS_MAX)) };
}

function describedRole(element) {
  return listedRole(element) || tagOf(element).toLowerCase();
}

function isEqualTo(element, role, name) {
  return isPresent(element) && describedRole(element) === role && isSameText(nameToCompare(element), name);
}

// Fields are often hidden behind what a page draws for them.
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

function descriptionOf(element, headings, levels) {
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
    around: textsAround(element, levels),
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

// How many of its ancestors have none of the others in them.
function levelsWithout(element, others) {
  let levels = 0;
  for (let node = parentOf(element); node; node = parentOf(node)) {
    if (others.some((one) => contains(node, one))) break;
    levels += 1;
  }
  return levels;
}

// The texts of its ancestors, from the inside out, each with more in it than the one before.
function textsAround(element, levels) {
  const texts = [];
  let node = parentOf(element);
  let last = clean(textOf(element));
  for (let level = 0; node && level < levels && texts.length < AROUND_LEVELS_MAX; level += 1, node = parentOf(node)) {
    if (!(node instanceof Element)) continue;
    if ((textContentOf(node) ?? "").length > 8 * AROUND_MAX || tagOf(node) === "BODY") break;
    const text = clean(textOf(node));
    if (text.length > AROUND_MAX) break;
    if (text && text !== last) texts.push(text.toWellFormed());
    last = text;
  }
  return texts;
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

// A selector for scripts outside, which cannot look into shadow roots.
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
