// Pictures without a name, which may show a state: the file of an image or of a background, the icon
// in a cell, or a block of color. Each is listed by the name of its file, by its size, or by its color.

const BLOCK_MIN = 6, BLOCK_MAX = 64; // CSS pixels of an edge
const BLOCK_RATIO_MAX = 2; // longer ones are bars, lines and edges
const NO_BLOCKS = new Set(["INPUT", "TEXTAREA", "SELECT", "BR", "HR", "WBR", "METER", "PROGRESS", "CANVAS", "VIDEO", "AUDIO", "IFRAME", "OBJECT", "EMBED"]);

// The text for the picture that an element is; "" if it is none, or shows something else. `cell` is
// the cell of a row that it is in.
function unnamedPicture(element, style, cell) {
  if (!mayBePicture(element, cell)) return "";
  const { width, height } = rectOf(element);
  const [short, long] = width < height ? [width, height] : [height, width];
  if (short < BLOCK_MIN || !isShown(element)) return "";
  const isImage = tagOf(element) === "IMG";
  const isAlone = cell ? isBlank(cell) : isImage && isBlank(parentOf(element));
  if (isImage && !isAlone && attributeOf(element, "alt") === "") return "";
  const file = fileIn(style.content) || (isImage ? fileOf(propertyOf(element, "currentSrc")) : fileIn(style.backgroundImage));
  const word = file || (cell && isAlone && !isImage ? iconIn([element, ...partsOf(element)]) : "");
  if (word) return `(image: ${word})`;
  if (isImage) return isAlone ? `(image: ${Math.round(width)}x${Math.round(height)})` : "";
  if (element !== cell && (long > BLOCK_MAX || long > BLOCK_RATIO_MAX * short)) return "";
  const color = hexOf(style.backgroundColor);
  return color && color !== colorAround(element) ? `(color: ${color})` : "";
}

// Whether an element is an image, a drawing in a cell, or has neither text nor elements.
function mayBePicture(element, cell) {
  const nodes = childrenOf(element);
  if (nodes.length > 1 || nodes.length && (kindOf(nodes[0]) !== Node.TEXT_NODE || /\S/.test(nodes[0].data))) return cell !== null && isDrawing(element);
  return !NO_BLOCKS.has(tagOf(element)) && (cell !== null || !isDrawing(element)) && !rootOf(element);
}

const isBlank = (element) => element instanceof Element && !/\S/.test(textContentOf(element));

function colorAround(element) {
  for (let node = parentOf(element); node; node = parentOf(node)) {
    const color = node instanceof Element ? hexOf(getComputedStyle(node).backgroundColor) : "";
    if (color) return color;
  }
  return "#ffffff";
}

// The name of a file, if it has a meaning.
function fileOf(url) {
  return fileWord(url) ? clean(url.split(/[?#]/, 1)[0].split("/").pop()).replace(/[()]/g, "") : "";
}

function fileIn(value) {
  return value.startsWith("url(") ? fileOf(/^url\("(.*?)"\)/.exec(value)?.[1]) : "";
}
