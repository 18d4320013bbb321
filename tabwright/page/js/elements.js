// References: each element that was listed keeps its number for as long as its document lives, and
// no number is given twice. A reference is the number of the document and that of the element.

const known = new Map();
const numbers = new WeakMap();
const closedRoots = new WeakMap();
const rootless = new WeakSet();

function numberOf(element) {
  let number = numbers.get(element);
  if (number === undefined) {
    number = known.size + 1;
    numbers.set(element, number);
    known.set(number, { element: new WeakRef(element), is: "" });
  }
  return number;
}

// All elements that can have a shadow root (DOM, section 4.9), and some more: the most frequent ones
// that cannot have one are left out.
const HOSTING = ":not(a, b, br, button, em, i, img, input, label, li, option, path, script, strong, td, th, tr)";

function matching(root, selector) {
  const found = [...allIn(root, selector)];
  for (const element of allIn(root, HOSTING)) {
    const inner = rootOf(element);
    if (inner) found.push(...matching(inner, selector));
  }
  return found;
}

// Any element gets a ref when it is needed, whether an outline lists it or not.
function referenced(element) {
  const ref = numberOf(element);
  acceptNow(ref);
  return { ref, what: known.get(ref).is ||= describe(element) };
}

function describe(element) {
  const role = roleOf(element) || tagOf(element).toLowerCase();
  const name = nameOf(element, role) || shortened(shownText(element)).slice(0, 60);
  return name ? `${role} "${name}"` : role;
}

// The element with a number, or the reason why there is none: {element} or {problem, was}.
function found(number) {
  const entry = known.get(number);
  if (!entry) return { problem: "unknown", was: "" };
  const element = entry.element.deref();
  if (element && propertyOf(element, "isConnected")) return { element };
  const successor = successorOf(entry);
  if (!successor) return { problem: "gone", was: entry.is };
  entry.element = new WeakRef(successor);
  return { element: successor };
}

function rootOf(element) {
  return shadowRootOf(element) ?? closedRoots.get(element) ?? null;
}

function parentOf(node) {
  return slotOf(node) ?? parentNodeOf(node) ?? (node instanceof ShadowRoot ? node.host : null);
}

// The target of an event, in the innermost root that we can read.
function targetOf(event) {
  const top = event.composedPath()[0];
  if (!(top instanceof Element)) return documentElement();
  return closedRoots.has(top) ? elementAt(event.clientX, event.clientY) ?? top : top;
}

function contains(outer, inner) {
  for (let node = inner; node; node = parentOf(node)) {
    if (node === outer) return true;
  }
  return false;
}

// The innermost element at a point, through every shadow root that we can read.
function elementAt(x, y) {
  let root = document;
  for (;;) {
    const element = invoke(root, "elementFromPoint", x, y);
    const inner = element && rootOf(element);
    if (!inner || inner === root || !inner.elementFromPoint(x, y)) return element;
    if (inner.elementFromPoint(x, y) === element) return element;
    root = inner;
  }
}

const DIALOGS = "dialog, [role=dialog], [role=alertdialog], [aria-modal=true]";
const WAYS_MAX = 5;

// The layer that covers an element: {detail} describes it, {ways} are the controls in it that may
// close it.
function cover(top, element) {
  const layer = layerOf(top, element);
  const ways = pressable(layer).slice(0, WAYS_MAX).map(referenced);
  return { problem: "covered", detail: describe(layer), ways };
}

// The dialog that contains the covering element, or else the whole layer that it is in.
function layerOf(top, element) {
  let layer = top;
  for (let node = top; node && !(element && contains(node, element)); node = parentOf(node)) {
    if (!(node instanceof Element)) continue;
    if (fits(node, DIALOGS)) return node;
    if (getComputedStyle(node).position !== "static") layer = node;
  }
  return layer;
}

const HOSTS_MAX = 256;

// The elements that may have a closed shadow root, for the code that can read them.
function possibleHosts() {
  const hosts = [];
  const visit = (root) => {
    for (const element of allIn(root, HOSTING)) {
      if (shadowRootOf(element)) visit(shadowRootOf(element));
      else if (closedRoots.has(element)) visit(closedRoots.get(element));
      else if (!rootless.has(element) && mayHost(element)) hosts.push(element);
      if (hosts.length >= HOSTS_MAX) return;
    }
  };
  visit(document);
  return hosts;
}

const SHADOWS_MAX = 64;
const takenRoots = new WeakSet();

// Shadow roots whose listeners have not been requested yet.
function newShadowRoots() {
  const roots = [];
  const visit = (root) => {
    for (const element of allIn(root, HOSTING)) {
      const inner = rootOf(element);
      if (!inner || roots.length >= SHADOWS_MAX) continue;
      if (!takenRoots.has(inner)) roots.push(inner);
      visit(inner);
    }
  };
  visit(document);
  return roots;
}

function takeShadowRoots() {
  const roots = newShadowRoots();
  for (const root of roots) takenRoots.add(root);
  return roots;
}

function learnRoots(hosts, ...roots) {
  for (const root of roots) closedRoots.set(root.host, root);
  for (const host of hosts) if (!closedRoots.has(host)) rootless.add(host);
  return roots.length;
}
