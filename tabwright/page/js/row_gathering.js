// Gathers the rows of virtual lists, which keep only the rows in view, by scrolling down and up
// again. A row is known by its place in the scrolled content, not by its text: rows can be equal.
// The rows are used only if they are certainly all: none overlap, no place between two is empty,
// and each is the same whenever it is in view.
const LISTS_MAX = 50;
const ROWS_LOST_MIN = 3;
const ROWS_SHOWN_MAX = 1000; // a list that shows more keeps its rows
const ROWS_MAX = 5000;
const ROW_CHARACTERS_MAX = 3000000; // of all rows together
const MOVED_MAX = 500;
const MOVED_CHARACTERS_MAX = 1000000;
const STEP = 0.9; // of the view, so that a row at its edge is in view twice
const STEP_MS_MIN = 75;
const FRAME_MS = 250;
const QUIET_MS = 40;
const SETTLE_MS = 400;
const LATE_MS = 700; // rows that fill later are taken for filled
const REPEATED_LATE_MS = 2000; // the same for rows with one text, which may be a placeholder
const TOLERANCE = 2; // pixels
const OPAQUE = "canvas, embed, iframe, object"; // what a copy cannot carry
const PICTURES = "img, svg, video";
const contains = method(Node.prototype, "contains");

const { copyOfRow, textOfRow, hasUnknownRoot } = (() => {
  /* marked copies */
  return {
    textOfRow,
    copyOfRow: (row) => {
      elementsLeft = ELEMENTS_MAX;
      return markedCopyOf(row);
    },
    // Whether an element of a row shows nothing that a script can see.
    hasUnknownRoot: (row) =>
      [row, ...call(row, "querySelectorAll", "*")].some((one) =>
        isCustom(localNameOf(one)) && !shadowOf(one) && !propertyOf(one, "textContent").trim() && hasBox(one)),
  };
})();
const hasPicture = (row) => fits(row, PICTURES) || firstIn(row, PICTURES);
const isStuck = (element) => {
  const { position, top, bottom } = getComputedStyle(element);
  return position === "fixed" || (position === "sticky" && (top !== "auto" || bottom !== "auto"));
};

// Finds the virtual lists in an element while it is scrolled down. They lose rows: these are removed,
// or moved and filled with another text. And their rows move with the view, unlike those of a clock,
// or of prices that change.
const watchRows = ({ scroller, origin, start }) => {
  const lost = new Map(); // by list: how many rows it has lost
  const moved = new Map(); // by row: its text before that
  const lowest = new Map(); // by list: the extent of its rows when they were lowest
  let movedCharacters = 0;
  let changedAt = 0;

  const lose = (list) => lost.set(list, (lost.get(list) ?? 0) + 1);
  const labelOf = (row) => textContentOf(row) + [...allIn(row, "img[alt]")].map(({ alt }) => alt).join("");
  const noteMove = (row) => {
    if (row === scroller || moved.has(row) || moved.size >= MOVED_MAX || movedCharacters > MOVED_CHARACTERS_MAX) return;
    moved.set(row, labelOf(row));
    movedCharacters += moved.get(row).length;
  };
  const note = (records) => {
    if (records.length) changedAt = performance.now();
    for (const { type, target, removedNodes } of records) {
      if (type === "attributes") noteMove(target);
      for (const node of removedNodes) if (node instanceof Element) lose(target);
    }
  };
  const observer = new MutationObserver(note);
  observer.observe(scroller, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["style"] });
  const hasChanged = () => {
    note(observer.takeRecords());
    return changedAt > 0;
  };
  const nextFrame = () => Promise.race([new Promise(requestAnimationFrame), pause(FRAME_MS)]);
  // Lists are rendered in the frame that follows a scroll event, or the next one.
  const settled = async () => {
    await nextFrame();
    await nextFrame();
    await pause(QUIET_MS);
    const end = performance.now() + SETTLE_MS;
    while (performance.now() - changedAt < QUIET_MS && performance.now() < end) await pause(QUIET_MS);
  };

  const outerOf = (list) => {
    const outer = [];
    for (let node = list; node !== scroller; node = parentNodeOf(node)) outer.push(parentNodeOf(node));
    return outer;
  };
  const mayBeVirtual = (list) =>
    contains(scroller, list) && elementsOf(list).length <= ROWS_SHOWN_MAX && ![list, ...outerOf(list)].some((one) => one !== scroller && isStuck(one));
  // The top and the bottom of the rows of a list in the scrolled content; rows above it are not in use.
  const extentOf = (list) => {
    const above = origin() + start();
    const rows = [...elementsOf(list)].filter((row) => isVisible(row) && !isStuck(row) && (textOfRow(row) || hasPicture(row)));
    const boxes = rows.map(borderBoxOf).filter(({ bottom, height }) => height > 0 && bottom > above);
    return [Math.min(...boxes.map(({ top }) => top)) - above, Math.max(...boxes.map(({ bottom }) => bottom)) - above];
  };
  // Whether lists have lost rows; asked at each step.
  const isLosing = () => {
    note(observer.takeRecords());
    for (const [row, label] of moved) {
      if (label === null || labelOf(row) === label) continue;
      moved.set(row, null); // counts once: an element that moves with all rows in it is no row
      if (parentNodeOf(row)) lose(parentNodeOf(row));
    }
    const losers = [...lost].filter(([, count]) => count >= ROWS_LOST_MIN).sort(([, one], [, other]) => other - one);
    for (const [list] of losers.slice(0, LISTS_MAX)) {
      if (!mayBeVirtual(list)) continue;
      const extent = extentOf(list);
      if (extent[1] > (lowest.get(list)?.[1] ?? -Infinity)) lowest.set(list, extent);
    }
    return losers.length > 0;
  };
  // The virtual lists, without those in another one; asked when it is scrolled back to the start.
  const virtualLists = () => {
    const isVirtual = ([list, [lowestTop, lowestBottom]]) => {
      if (!mayBeVirtual(list)) return false;
      const [top, bottom] = extentOf(list);
      const isEmpty = top > bottom; // all its rows are out of view
      return isEmpty || (lowestTop > top + TOLERANCE && lowestBottom > bottom + TOLERANCE);
    };
    const found = new Set([...lowest].filter(isVirtual).map(([list]) => list));
    return [...found].filter((list) => !outerOf(list).some((outer) => found.has(outer)));
  };
  return { hasChanged, settled, isLosing, virtualLists, stop: () => observer.disconnect() };
};

class RowGathering {
  rows = new Map(); // by place
  shown = new Set(); // the texts in the list
  characters = 0;
  isCertain = true;

  constructor(list) {
    this.list = list;
  }

  // Takes the rows in view. `origin` is the top of the scrolled content.
  take({ top, bottom }, origin, pass) {
    for (const node of childrenOf(this.list)) {
      if (!this.isCertain || isLate()) return;
      if (node instanceof Text && node.data.trim()) this.isCertain = false;
      if (!(node instanceof Element) || !isVisible(node)) continue;
      for (const text of textsOf(node)) this.shown.add(text);
      const box = borderBoxOf(node);
      const isInView = box.bottom > top + 1 && box.top < bottom - 1 && box.height > 0;
      const text = textOfRow(node);
      if (isInView && (text || hasPicture(node))) this.#note(node, text, box, box.top - origin, pass);
    }
    if (this.rows.size > ROWS_MAX || this.characters > ROW_CHARACTERS_MAX) this.isCertain = false;
  }

  #note(row, text, { left, right, height }, top, pass) {
    const isOpaque = fits(row, OPAQUE) || firstIn(row, OPAQUE) || hasUnknownRoot(row) || [...allIn(row, "*")].some(isScroller);
    const key = (shift) => `${Math.round(top) + shift} ${Math.round(left)}`;
    const known = [0, -1, 1].map((shift) => this.rows.get(key(shift))).find(Boolean);
    const isOther = known && (known.text !== text || Math.abs(known.bottom - top - height) > TOLERANCE);
    if (isOpaque || isStuck(row) || isOther) {
      this.isCertain = false;
      return;
    }
    const noted = known ?? { top, bottom: top + height, left, right, text, copy: copyOfRow(row), passes: new Set() };
    if (!known) {
      this.rows.set(key(0), noted);
      this.characters += propertyOf(noted.copy, "outerHTML").length;
    } else if (!noted.passes.has(pass)) {
      noted.copy = copyOfRow(row); // its pictures may have loaded
    }
    noted.passes.add(pass);
  }

  // The row that is kept in view for longer, because it may be filled late: one of those with the
  // most frequent text.
  suspect() {
    const counts = new Map();
    for (const { text } of this.rows.values()) counts.set(text, (counts.get(text) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const alike = [...this.rows.values()].filter(({ text }) => counts.get(text) === most);
    return { top: alike[alike.length >> 1]?.top ?? 0, isRepeated: most >= ROWS_LOST_MIN };
  }

  // The copies of all rows in the order of their places, and their texts; null if some rows may be
  // missing or doubled.
  whole(passes) {
    const isRightToLeft = getComputedStyle(this.list).direction === "rtl";
    const rows = [...this.rows.values()].sort((one, other) => one.top - other.top);
    const least = rows.reduce((height, row) => Math.min(height, row.bottom - row.top), Infinity);
    const lines = [];
    for (const row of rows) {
      const line = lines.at(-1);
      if (row.passes.size < passes) return null;
      if (line && row.top - line.top < TOLERANCE) {
        line.rows.push(row);
        line.bottom = Math.max(line.bottom, row.bottom);
        continue;
      }
      const gap = line ? row.top - line.bottom : 0;
      if (gap < -TOLERANCE || gap >= least) return null;
      lines.push({ top: row.top, bottom: row.bottom, rows: [row] });
    }
    for (const { rows: cells } of lines) {
      cells.sort((one, other) => one.left - other.left);
      if (cells.some((cell, place) => place && cell.left < cells[place - 1].right - TOLERANCE)) return null;
      if (isRightToLeft) cells.reverse();
      if (cells.length === 1) invoke(cells[0].copy, "setAttribute", "data-own-line", "");
    }
    const copies = lines.flatMap((line) => line.rows.map((row) => row.copy));
    const kept = new Set(copies.flatMap(textsOf));
    const isWhole = rows.length && [...this.shown].every((text) => kept.has(text));
    return isWhole ? { copies, texts: new Set(["", ...rows.map(({ text }) => text)]) } : null;
  }
}

// Whether the list keeps only the columns in view.
const hasVirtualColumns = async (list, scroller, settled) => {
  for (let node = list; node; node = node === scroller ? null : parentNodeOf(node)) {
    const [width] = clientSizeOf(node);
    if (propertyOf(node, "scrollWidth") <= width + TOLERANCE || getComputedStyle(node).overflowX === "visible") continue;
    const before = textsOf(list).join("\n");
    const left = propertyOf(node, "scrollLeft");
    const scroll = async (to) => { invoke(node, "scrollTo", { left: to, behavior: "instant" }); await settled(); };
    const end = propertyOf(node, "scrollWidth") * (getComputedStyle(node).direction === "rtl" ? -1 : 1);
    await scroll(left ? 0 : end);
    const after = textsOf(list).join("\n");
    await scroll(left);
    if (before !== after) return true;
  }
  return false;
};

// The rows of each of the lists in an element that is scrolled to its start, and what `readSource`
// needs to find out whether the list has changed since; null if the rows are not certain.
const gatherRows = async (lists, scrolling, settled) => {
  const { scroller, height, view, origin, scrollTo, scrollBy, isAtStart, toEnd, isAtEnd } = scrolling;
  const size = scrollHeightOf(scroller);
  const passes = [[STEP, isAtEnd], [-STEP, isAtStart]];
  if ((passes.length * STEP_MS_MIN * size) / (STEP * height) > leftMs()) return null;
  for (const list of lists) if (await hasVirtualColumns(list, scroller, settled)) return null;
  const gatherings = lists.map((list) => new RowGathering(list));
  const take = (pass) => {
    for (const one of gatherings) one.take(view(), origin(), pass);
    return !isLate() && gatherings.every((one) => one.isCertain);
  };
  for (const [pass, [step, isOver]] of passes.entries()) {
    if (!take(pass)) return null;
    while (!isOver()) {
      scrollBy(step * height);
      await settled();
      if (!take(pass)) return null;
    }
    if (pass > 0) continue;
    for (const one of gatherings) {
      const { top, isRepeated } = one.suspect();
      scrollTo(top);
      await settled();
      if (!take(pass)) return null;
      await pause(isRepeated ? REPEATED_LATE_MS : LATE_MS);
      if (!take(pass)) return null;
    }
    toEnd();
    await settled();
  }
  if (Math.abs(scrollHeightOf(scroller) - size) > TOLERANCE) return null;
  const whole = gatherings.map((one) => one.whole(passes.length));
  return whole.includes(null) ? null : new Map(whole.map((rows, place) => [lists[place], { ...rows, scroller, size }]));
};
