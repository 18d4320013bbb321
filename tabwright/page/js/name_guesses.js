// Guesses at the purpose of a control without an accessible name: from its icon, its picture, the
// text next to it or its identifiers. A guess is never a name: an outline marks it as a guess.

const GUESS_MAX = 40;
const NEARBY_NODES_MAX = 30;

const TOOLTIPS = ["title", "data-tooltip", "data-tip", "data-title", "data-original-title", "data-bs-original-title"];
const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];
const ICON_ATTRIBUTES = ["data-icon", "data-lucide", "data-feather", "icon"];

// The prefix of an icon's name, as in `fa-trash`, `icon-star`, `bi bi-x-lg`.
const ICON_PREFIX = /^(?:fa[srlbdt]?|icons?|glyphicon|bi|mdi|ti|ri|oi|pi|las?|lucide|feather|octicon|material-icons|svg|img|sprite|ico|ic|i|el-icon|anticon|ph|tabler|codicon)[-_]/i;
const WITHOUT_MEANING = new Set(("fa fas far fal fab fad icon icons btn button buttons link item items wrapper container inner outer primary " +
  "secondary default small large sm md lg xs xl active disabled hidden visible clickable control action actions input field form image img " +
  "picture svg sprite left right top bottom center first last row col cell box block flex grid group menu nav toolbar round circle square " +
  "text label content root main base js react vue ng el ui mui chakra ant v is has w h p m bi mdi ti ri oi pi la las fw lib lucide feather " +
  "glyphicon octicon codicon tabler anticon material symbols outlined rounded sharp regular solid light thin duotone brands logo").split(" "));

function guessOf(element, role) {
  const parts = [element, ...partsOf(element)];
  const guess = tooltipOf(parts)
    || (FIELDS.has(role) ? nearbyText(element) : shortened(propertyOf(element, "innerText")))
    || iconIn(parts) || imageIn(parts) || identifierOf(element) || backgroundOf(parts)
    || (role === "checkbox" || role === "radio" ? attributeOf(element, "value") : "");
  return clean(guess).slice(0, GUESS_MAX).toWellFormed();
}

const PARTS_MAX = 8;

function partsOf(element) {
  return propertyOf(element, "firstElementChild") && tagOf(element) !== "SELECT" ? [...allIn(element, "*")].slice(0, PARTS_MAX) : [];
}

const FIELDS = new Set([
  "textbox", "searchbox", "password", "spinbutton", "combobox", "listbox", "slider", "checkbox", "radio", "switch",
  "file", "color", "date", "time", "month", "week", "datetime",
]);

function tooltipOf(parts) {
  for (const name of TOOLTIPS) if (hasAttributeOf(parts[0], name)) return attributeOf(parts[0], name);
  for (const part of parts) if (hasAttributeOf(part, "title")) return attributeOf(part, "title");
  return "";
}

// The text after a checkbox or a radio button, or the text before any other field.
function nearbyText(element) {
  const after = propertyOf(element, "type") === "checkbox" || propertyOf(element, "type") === "radio";
  const seen = invoke(document, "createTreeWalker", rootNodeOf(element));
  seen.currentNode = element;
  for (let step = 0; step < NEARBY_NODES_MAX; step++) {
    const node = after ? seen.nextNode() : seen.previousNode();
    if (!node || !parentNodeOf(node)) return "";
    if (kindOf(node) === Node.TEXT_NODE) {
      if (!(parentNodeOf(node) instanceof Element) || around(parentNodeOf(node), "button, a[href], option, textarea, script, style")) return "";
      const text = clean(node.data).replace(/[:*]+$/, "");
      if (/[\p{L}\p{N}]/u.test(text) && isShown(parentNodeOf(node))) return text.length <= 2 * GUESS_MAX ? text : "";
    } else if (node instanceof Element && !contains(node, element) && fits(node, "button, input:not([type=hidden]), select, textarea, a[href], hr, table, form")) {
      return "";
    }
  }
  return "";
}

function iconIn(parts) {
  for (const part of parts) {
    if (tagOf(part) === "use") {
      const link = attributeOf(part, "href") ?? attributeOf(part, "xlink:href") ?? "";
      if (link.includes("#")) return worded(link.slice(link.indexOf("#") + 1).replace(ICON_PREFIX, ""));
    }
    for (const name of ICON_ATTRIBUTES) if (hasAttributeOf(part, name)) return worded(attributeOf(part, name));
    for (const token of (attributeOf(part, "class") ?? "").split(/\s+/)) {
      const word = ICON_PREFIX.test(token) ? worded(token.replace(ICON_PREFIX, "")) : "";
      if (word) return word;
    }
  }
  return "";
}

function imageIn(parts) {
  const image = parts.find((part) => fits(part, "img, input[type=image]"));
  return image ? fileWord(attributeOf(image, "src")) : "";
}

function backgroundOf(parts) {
  for (const part of parts.slice(0, 2)) {
    if (!(part instanceof HTMLElement)) continue;
    const style = getComputedStyle(part);
    const word = fileWord(/url\("(.*?)"\)/.exec(`${style.backgroundImage} ${style.content}`)?.[1]);
    if (word) return word;
  }
  return "";
}

function fileWord(url) {
  if (!url || url.startsWith("data:")) return "";
  const file = url.split(/[?#]/, 1)[0].split("/").pop();
  return worded(file.replace(/\.\w{2,5}$/, "").replace(ICON_PREFIX, ""));
}

function identifierOf(element) {
  for (const name of [...TEST_IDS, "name", "id"]) {
    const word = worded(attributeOf(element, name));
    if (word) return word;
  }
  return "";
}

// An identifier as words; "" if it looks generated, or has no meaning.
function worded(identifier) {
  const words = (identifier ?? "").replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const said = words.filter((word) => !WITHOUT_MEANING.has(word.toLowerCase()) && !/^\d+$/.test(word));
  if (!said.length || said.length > 4 || said.some(isGenerated)) return "";
  return said.join(" ").toLowerCase();
}

function isGenerated(word) {
  return word.length > 24 || /\d.*\p{L}.*\d|\p{L}{1,3}\d{2,}|^\p{L}\d?$/u.test(word) || /^[^aeiouyäöüáéíóú]{4,}$/iu.test(word) && /^[a-z0-9]+$/i.test(word);
}
