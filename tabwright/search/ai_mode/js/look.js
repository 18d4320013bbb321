// One look at an AI Mode page: what it shows at this moment, as a JSON string.
//
// The shape is `Look` in look.py. The script reads and never writes, knows no language and no
// class name: it goes by attributes (data-container-id, data-xid, ...), by roles, and by what is
// rendered, and where an attribute is missing, by the shape of the page. It runs in an isolated
// world, so the page cannot change what `querySelectorAll` means; what it remembers from look to
// look is kept in that world, which lives as long as the document.
//
// `given`: the closed shadow roots of the page, which only the protocol can find; and the question
// whose turn is read. Without a question it is the last turn, and all turns are earlier ones for the
// next question.
function look(...given) {
  const question = given.find((one) => typeof one === "string");
  const closedRoots = given.filter((one) => one !== question);
  const TURN = ['[data-xid="aim-mars-turn-root"]', "[data-tr-rsts]", '[data-scope-id="turn"]'];
  const COLUMN = ['[data-container-id="main-col"]', '[data-xid="VpUvz"]'];
  const ASIDE = '[data-xid*="aside"],[data-container-id="rhs-col"],aside,[role="complementary"]';
  const ACTIONS = '[data-xid="Gd7Hsc"]';
  const STOP = '[data-xid="ljhwxf"]';
  const COMPOSER = '[data-xid="aim-mars-input-plate"],textarea[maxlength="8192"]';
  const BUSY = '[aria-busy="true"],[role="progressbar"],[data-loading="true"]';
  const STREAM = /^\/async\/fol/;

  const BUTTON = 'button,[role="button"]';
  const FIELD =
    'select,input:not([type]),input[type="text"],input[type="number"],input[type="date"],' +
    "textarea[readonly]";
  const DIALOG = 'dialog,[role="dialog"]';
  const QUESTION = '[role="heading"][aria-level="2"],h2';
  const HEADING = 'h1,h2,h3,h4,h5,h6,[role="heading"]';
  const BLOCKS = `p,ul,ol,table,pre,hr,blockquote,details,${HEADING}`;
  const WORDS = "span,a,b,i,em,strong,mark,bdi";
  const ALERT = '[role="alert"]';
  const UNREAD =
    `${DIALOG},[role="menu"],[role="tooltip"],[role="navigation"],nav,textarea,` +
    "input,select,style,script,template,noscript,svg,img,picture,video,audio,canvas,iframe," +
    "object,progress,meter";
  const DRAWING = 'svg,canvas,[role="img"]';
  const CHOICE = 'input[type="radio"],input[type="checkbox"]';
  const TOGGLE = "[aria-expanded],[aria-pressed],[aria-selected]";
  const CLOSED = '[aria-expanded="false"]:not([aria-controls],[aria-haspopup])';
  const KINDS = {
    ul: "list", ol: "list", li: "item", table: "table", tr: "row", td: "cell", th: "cell",
    pre: "code", hr: "rule", blockquote: "quote", br: "break",
    strong: "bold", b: "bold", em: "italic", i: "italic", code: "mono", kbd: "mono", samp: "mono",
    sub: "sub", sup: "sup", del: "struck", s: "struck",
  };
  const ROLE_KINDS = {
    heading: "heading", list: "list", listitem: "item", table: "table", grid: "table",
    row: "row", cell: "cell", gridcell: "cell", columnheader: "cell", rowheader: "cell",
    separator: "rule",
  };
  const TEX = ["data-tex", "data-latex", "data-math", "data-xpm-latex"];
  const FORMULA_HTML_MAX = 20000;
  const PANEL = '[role="tabpanel"]';
  const MARKER = /^\s*NODE_END_MARKER_\S*\s*$/;
  const LOADING_TEXT_MAX = 60;
  const FOOTNOTE_MAX = 160;
  const ROW_TEXT_MAX = 160;
  const COLUMN_TEXT_MIN = 80;
  const PAGE_TEXT_MAX = 4000;
  const COUNT_TEXT_MAX = 40;
  const ICON_SIZE_MAX = 24;

  // --- what was seen in earlier looks

  const memory = (globalThis.tabwrightMemory ??= {
    announcements: 0,
    regions: new WeakSet(),
    turns: new WeakMap(),
    earlier: new WeakSet(),
    turnsSeen: 0,
  });

  // The same for the same element, in every look at the same document.
  function identityOf(turn) {
    if (!memory.turns.has(turn)) memory.turns.set(turn, ++memory.turnsSeen);
    return `${performance.timeOrigin}/${memory.turns.get(turn)}`;
  }

  // The same sentence is said for every answer, so it is the saying that is counted.
  function announcementsSoFar() {
    const region = document.getElementById("goog-lr-2");
    const regions = region ? [region] : [...document.querySelectorAll("[aria-live]")];
    regions.filter((one) => !memory.regions.has(one)).forEach(listenTo);
    return memory.announcements;
  }

  function listenTo(region) {
    const count = () => {
      if (region.textContent.trim()) memory.announcements += 1;
    };
    memory.regions.add(region);
    new MutationObserver(count).observe(region, {
      childList: true, characterData: true, subtree: true,
    });
    count();
  }

  // --- the composed tree: shadow roots, open and closed, and what stands in their slots

  const closed = new Map(closedRoots.map((root) => [root.host, root]));

  function shadowOf(element) {
    return closed.get(element) ?? element.shadowRoot;
  }

  function kidsOf(node) {
    const assigned = node.localName === "slot" ? node.assignedNodes({ flatten: true }) : [];
    return assigned.length ? assigned : (shadowOf(node) ?? node).childNodes;
  }

  function parentOf(node) {
    const parent = node.assignedSlot ?? node.parentNode;
    return parent?.host ?? parent;
  }

  function descendants(node, found = []) {
    for (const kid of kidsOf(node)) {
      if (kid.nodeType !== Node.ELEMENT_NODE) continue;
      found.push(kid);
      descendants(kid, found);
    }
    return found;
  }

  function within(element, ancestors) {
    for (let node = element; node; node = parentOf(node)) if (ancestors.has(node)) return true;
    return false;
  }

  function outermost(elements) {
    const inside = (one) => elements.some((other) => other !== one && other.contains(one));
    return elements.filter((one) => !inside(one));
  }

  function everyRoot(root = document, found = []) {
    found.push(root);
    for (const element of root.querySelectorAll("*")) {
      const shadow = shadowOf(element);
      if (shadow) everyRoot(shadow, found);
    }
    return found;
  }

  // --- what is rendered

  // The page stands still while it is looked at, so each question is asked once. If it leads back to
  // itself, such as by elements that name each other, the answer is no.
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

  // Whether its text is painted, or is once a reader has opened what hides it.
  const isReadable = remembered((element) => {
    if (styleOf(element).visibility === "visible" || isFolded(element)) return true;
    const parent = parentOf(element);
    if (parent?.nodeType !== Node.ELEMENT_NODE) return false;
    return styleOf(parent).visibility !== "visible" && isReadable(parent);
  });

  // Words fade in while the answer streams; those are on their way to being seen.
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

  // What a reader can open counts although it is not laid out yet.
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

  // A button beside an element opens it, or one after the list that it is in; or one of several
  // choices shows it.
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

  // What parts the words of an element from its neighbours in a line, before and after it.
  function edgesOf(element, style) {
    if (element.localName === "rt") return ["(", ")"];
    if (isInline(style) || !isInRow(element)) return ["", ""];
    const touches = element.matches(WORDS) && !(parseFloat(styleOf(parentOf(element)).columnGap) > 0);
    return touches ? ["", ""] : [" ", " "];
  }

  function squeeze(text) {
    return text.replace(/\s+/g, " ").trim();
  }

  // --- the answer as a neutral tree

  // `left` holds elements that are no part of the answer; reading ends for good at `end`. Only until
  // the answer has ended, a few words beside grey bars are about its progress.
  function columnNodes(column, left, end, hasEnded) {
    let ended = false;
    const nodes = [];
    readKids(column, styleOf(column), nodes);
    return nodes;

    function readKids(parent, style, out) {
      for (const kid of kidsOf(parent)) {
        if (ended) return;
        if (kid.nodeType === Node.TEXT_NODE && isReadable(parent)) readText(kid, style, out);
        else if (kid.nodeType === Node.ELEMENT_NODE) readElement(kid, out);
      }
    }

    function readText(node, style, out) {
      if (style.fontSize === "0px") return;
      if (MARKER.test(node.data)) return;
      if (!/^(pre|pre-wrap|pre-line|break-spaces)$/.test(style.whiteSpace)) {
        out.push({ kind: "text", text: node.data });
        return;
      }
      node.data.split("\n").forEach((line, index) => {
        if (index) out.push({ kind: "break" });
        out.push({ kind: "text", text: line });
      });
    }

    function readElement(element, out) {
      if (element === end) ended = true;
      if (ended || left.has(element)) return;
      if (element.matches("img,picture")) return readPicture(element, out);
      if (element.matches(FIELD)) return readField(element, out);
      if (element.matches(CHOICE)) out.push({ kind: "text", text: " " });
      const name = nameOfDrawing(element);
      if (name) return readName(element, name, out);
      if (element.localName === "svg") return readDrawing(element, out);
      if (element.matches(UNREAD)) return;
      const style = styleOf(element);
      if (isHidden(element) && !isFolded(element)) return;
      if (element.matches('[role="tab"]') && panelOf(element)) return;
      const visible = isReadable(element);
      const formula = visible ? formulaOf(element) : null;
      if (formula) {
        out.push(formula);
        return;
      }
      if (element.matches(PANEL)) out.push(...labelOf(element));
      const inLine = isWithinLine(element, style);
      const isShort = inLine || element.matches(BUTTON);
      const chip = visible && isShort ? chipOf(element, () => wordsOf(element, style)) : null;
      if (!chip) readPart(element, style, visible, out);
      else out.push(inLine ? chip : { kind: "box", kids: [chip] });
    }

    function wordsOf(element, style) {
      const words = [];
      readKids(element, style, words);
      return words;
    }

    // What a field says is a part of the sentence around it.
    function readField(field, out) {
      const text = field.selectedOptions?.[0]?.text ?? field.value;
      const shown = !isHidden(field) && isReadable(field);
      if (shown && text) out.push({ kind: "text", text });
    }

    function readPicture(element, out) {
      const picture = element.matches("img") ? element : element.querySelector("img");
      const label = squeeze(picture?.alt ?? "");
      if (!label || isHidden(element) || isHidden(picture)) return;
      if (!isReadable(picture)) return;
      out.push({ kind: "image", href: picture.currentSrc || picture.src, label });
    }

    function readName(drawing, label, out) {
      if (isHidden(drawing) || !isReadable(drawing)) return;
      const image = { kind: "image", label };
      out.push(isWithinLine(drawing, styleOf(drawing)) ? image : { kind: "box", kids: [image] });
    }

    // The words of a diagram, and what is embedded in it.
    function readDrawing(svg, out) {
      if (isHidden(svg) || !isReadable(svg)) return;
      for (const part of svg.querySelectorAll("text,foreignObject")) {
        if (isHidden(part)) continue;
        if (part.localName === "text") out.push({ kind: "text", text: ` ${wordsIn(part)} ` });
        else readKids(part, styleOf(part), out);
      }
    }

    function readPart(element, style, visible, out) {
      const kind = visible ? kindOf(element, style) : "";
      if (kind === "") {
        const [before, after] = visible ? edgesOf(element, style) : ["", ""];
        if (before) out.push({ kind: "text", text: before });
        readKids(element, style, out);
        if (after) out.push({ kind: "text", text: after });
      } else if (kind !== "box" || (hasEnded && bareText(element)) || !isSkeleton(element)) {
        out.push({ kind, ...detailsOf(element, kind), ...contentOf(element, style, kind) });
      }
    }

    function contentOf(element, style, kind) {
      if (kind === "code") return { text: codeText(element) };
      if (kind === "break" || kind === "rule") return {};
      const kids = [];
      readKids(element, style, kids);
      return element.matches("summary") ? { kids: [{ kind: "bold", kids }] } : { kids };
    }
  }

  // What stands for a drawing that is more than an icon, and has no text of its own.
  function nameOfDrawing(element) {
    if (!element.matches(DRAWING) || (element.localName !== "svg" && bareText(element))) return "";
    const title = element.localName === "svg" ? element.querySelector("title")?.textContent : "";
    const name = element.getAttribute("role") === "img" ? element.ariaLabel || title : "";
    return name && sizeOfDrawing(element) > ICON_SIZE_MAX ? squeeze(name) : "";
  }

  // In a fold that is not laid out it is the size that the page asks for, if it is known.
  function sizeOfDrawing(element) {
    if (isLaidOut(element) || !isInFold(element)) return sideOf(element.getBoundingClientRect());
    const { width, height } = styleOf(element);
    return sideOf({ width: parseFloat(width), height: parseFloat(height) }) || Infinity;
  }

  function sideOf({ width, height }) {
    return Math.max(width, height);
  }

  // The lines of a text in a drawing begin at a place of their own.
  function wordsIn(text) {
    const read = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data;
      const isLine = node.matches("tspan[x],tspan[dy]");
      return (isLine ? " " : "") + Array.from(node.childNodes, read).join("");
    };
    return squeeze(read(text));
  }

  // A formula: MathML, marked TeX, or MathML beside the same as glyphs, which are hidden from readers.
  function formulaOf(element) {
    if (element.localName === "math") return formulaNode(element);
    const tex = TEX.map((name) => element.getAttribute(name)).find(Boolean);
    if (tex) return { kind: "formula", text: squeeze(tex) };
    if (element.matches('[role="math"][aria-label]')) {
      return { kind: "formula", text: squeeze(element.ariaLabel) };
    }
    const halves = [...element.children];
    if (!halves.some(isGlyphs)) return null;
    const found = [...element.querySelectorAll("math")];
    if (!found.length && isSpelled(element, halves)) {
      return { kind: "text", text: element.ariaLabel };
    }
    const isHalf = (half) => isGlyphs(half) || half.contains(found[0]);
    return found.length === 1 && halves.every(isHalf) ? formulaNode(found[0]) : null;
  }

  // Whether screen readers read a name in place of the glyphs.
  function isSpelled(element, halves) {
    if (!element.ariaLabel || element.matches(`a,${BUTTON}`)) return false;
    if (!isInline(styleOf(element))) return false;
    const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "";
    if ([...element.childNodes].some(isText)) return false;
    return halves.every((half) => half.ariaHidden === "true");
  }

  function isGlyphs(half) {
    if (half.ariaHidden === "true") return true;
    const kids = [...half.children];
    return kids.length > 0 && !bareText(half) && kids.every(isGlyphs);
  }

  function formulaNode(math) {
    const html = math.outerHTML;
    const text = squeeze(math.textContent);
    return { kind: "formula", text, html: html.length <= FORMULA_HTML_MAX ? html : "" };
  }

  // The panel that a tab opens, and the label of the tab as a line before its panel.
  function panelOf(tab) {
    const root = tab.getRootNode();
    const named = root.getElementById(tab.getAttribute("aria-controls") ?? "");
    return named ?? [...root.querySelectorAll(PANEL)].find((one) => tabOf(one) === tab);
  }

  function tabOf(panel) {
    const root = panel.getRootNode();
    const named = root.getElementById(panel.getAttribute("aria-labelledby") ?? "");
    const tabs = [...root.querySelectorAll('[role="tab"]')];
    const opens = (tab) => panel.id && tab.getAttribute("aria-controls") === panel.id;
    return named?.matches('[role="tab"]') ? named : tabs.find(opens);
  }

  function labelOf(panel) {
    const text = squeeze(tabOf(panel)?.textContent ?? panel.ariaLabel ?? "");
    const bold = { kind: "bold", kids: [{ kind: "text", text }] };
    return text ? [{ kind: "box", kids: [bold] }] : [];
  }

  function kindOf(element, style) {
    const role = element.getAttribute("role");
    if (element.matches(HEADING)) return "heading";
    const plain = isWithinLine(element, style) ? "" : "box";
    if (role === "presentation" || role === "none") return plain;
    if (Object.hasOwn(ROLE_KINDS, role)) return ROLE_KINDS[role];
    if (element.matches("a[href]")) return "link";
    if (isCodeBlock(element, style)) return "code";
    if (Object.hasOwn(KINDS, element.localName)) return KINDS[element.localName];
    return plain;
  }

  function isCodeBlock(element, style) {
    if (element.localName === "pre") return true;
    if (isInline(style) || !style.whiteSpace.startsWith("pre")) return false;
    return /mono|courier|consolas/i.test(style.fontFamily);
  }

  function detailsOf(element, kind) {
    if (kind === "heading") return { level: headingLevel(element) };
    if (kind === "list") return { ordered: element.localName === "ol", start: element.start ?? 1 };
    if (kind === "item" && element.hasAttribute("value")) return { number: element.value };
    if (kind === "link") return { href: element.href, label: element.ariaLabel ?? "" };
    if (kind === "cell") return { rows: element.rowSpan ?? 1, columns: element.colSpan ?? 1 };
    if (kind === "code") return { language: codeLanguage(element) };
    if (kind === "box") return { paragraph: element.localName === "p", alert: element.matches(ALERT) };
    return {};
  }

  function headingLevel(element) {
    const level = element.getAttribute("aria-level") ?? /^h([1-6])$/.exec(element.localName)?.[1];
    return Math.min(6, Math.max(1, parseInt(level, 10) || 2));
  }

  function codeLanguage(element) {
    const named = [element, ...element.querySelectorAll("code")];
    const ofClass = (one) => /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(one.className)?.[1];
    const language = (one) => one.dataset.language || one.dataset.lang || ofClass(one);
    return named.map(language).find(Boolean) ?? "";
  }

  function codeText(element) {
    let text = "";
    const freshLine = () => {
      if (text && !text.endsWith("\n")) text += "\n";
    };
    const read = (node) => {
      if (node.nodeType === Node.TEXT_NODE && !MARKER.test(node.data)) text += node.data;
      if (node.nodeType !== Node.ELEMENT_NODE) return;
      if (node.localName === "br") text += "\n";
      if (node.matches(UNREAD) || node.matches(BUTTON)) return;
      const style = styleOf(node);
      if (isHidden(node) || style.visibility !== "visible") return;
      if (!isInline(style)) freshLine();
      kidsOf(node).forEach(read);
      if (!isInline(style)) freshLine();
    };
    kidsOf(element).forEach(read);
    return text;
  }

  // What stands for a source, or may: an empty link, buttons with no words beside them, or both.
  // Buttons that do not look like those of a source may be a part of the sentence: `words` reads it.
  function chipOf(element, words) {
    const links = element.matches("a[href]") ? [element] : [...element.querySelectorAll("a[href]")];
    const own = element.matches(BUTTON) ? [element] : [...element.querySelectorAll(BUTTON)];
    if (!links.length && !own.length) return null;
    if (bareText(element) || links.some((link) => unitsOf(link).length || showsPicture(link))) {
      return null;
    }
    const isNamed = own.some(namesSource);
    const lines = own.map((button) => unitsOf(button).length);
    const mayCite = links.length || isNamed || lines.some(Boolean);
    if (!mayCite || (!isNamed && Math.max(...lines) > 1)) return null;
    return {
      kind: "chip",
      hrefs: links.map((link) => link.href),
      label: squeeze((links.length ? links : own).map((one) => one.ariaLabel ?? "").join(" ")),
      site: squeeze(own.map((button) => unitsOf(button).join(" ")).join(" ")),
      kids: links.length || isNamed ? [] : words(),
    };
  }

  function showsPicture(link) {
    const named = [...link.querySelectorAll("img[alt]")].filter((picture) => picture.alt);
    return named.some((picture) => sizeOfDrawing(picture) > ICON_SIZE_MAX);
  }

  // "Site +1" on the button, or "Site - Title" as its label.
  function namesSource(button) {
    return /\+\s*\d+$/.test(unitsOf(button).join(" ")) || / [-–—] /.test(button.ariaLabel ?? "");
  }

  function bareText(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data.trim();
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(BUTTON)) return "";
    if (node.matches(UNREAD)) return "";
    return Array.from(kidsOf(node), bareText).join("");
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

  // --- turns and their columns

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

  // Without its attributes a turn is what stands under one echoed question, a heading of level 2.
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

  // The headings of an answer stand elsewhere in their turn than the question, or are of a class of
  // their own.
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

  function markedColumn(parts) {
    const marked = COLUMN.map((selector) => parts.filter((part) => part.matches(selector)));
    return (marked.find((list) => list.length) ?? []).find(isShown) ?? null;
  }

  // Other parts of the turn that hold text of the answer: marked like its column, or beside it.
  function furtherColumns(column, parts, left, bar) {
    const isMarked = (part) => COLUMN.some((selector) => part.matches(selector));
    const isBeside = (part) => part.parentElement === column.parentElement && holdsBlocks(part);
    const isApart = (part) => !part.contains(column) && !column.contains(part);
    const found = parts.filter((part) => isApart(part) && (isMarked(part) || isBeside(part)));
    const isRead = (part) => isShown(part) && !within(part, left) && !part.closest(DIALOG);
    return outermost(found).filter((part) => isRead(part) && !(bar && isBefore(bar, part)));
  }

  function holdsBlocks(part) {
    if (!isBox(part) || part.matches(`${UNREAD},${ASIDE}`) || isButtonRow(part)) return false;
    return (part.matches(BLOCKS) || part.querySelector(BLOCKS) !== null) && bareText(part) !== "";
  }

  function isBefore(one, other) {
    return Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  // The part of the turn that holds the text, when nothing says so: down through lone children,
  // and past the sources that stand beside the largest one.
  function largestColumn(turn, left, textOf) {
    const sizeOf = (node) => textOf(node).length;
    const isPassed = (part, largest) => beside(part, largest) && isOfSources(part, left, textOf);
    const larger = (one, other) => (sizeOf(other) > sizeOf(one) ? other : one);
    let column = turn;
    while (true) {
      const parts = Array.from(kidsOf(column)).filter(sizeOf);
      const largest = parts.length ? parts.reduce(larger) : null;
      const others = parts.filter((part) => part !== largest);
      if (!isBox(largest) || !others.every((part) => isPassed(part, largest))) return column;
      column = largest;
    }
  }

  // The text of a node, except what is in `left`.
  function textWithout(left) {
    const textOf = remembered((node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data.trim();
      if (node.nodeType !== Node.ELEMENT_NODE || left.has(node) || isHidden(node)) return "";
      if (node.matches(UNREAD) || node.matches(BUTTON)) return "";
      return Array.from(kidsOf(node), textOf).join("");
    });
    return textOf;
  }

  function isBox(node) {
    if (node?.nodeType !== Node.ELEMENT_NODE || node.matches(ALERT)) return false;
    return kindOf(node, styleOf(node)) === "box";
  }

  function beside(one, other) {
    if (one.nodeType !== Node.ELEMENT_NODE) return false;
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    return a.left >= b.right || a.right <= b.left;
  }

  // Whether it holds source cards, or mostly links; a column of an answer has text of its own.
  function isOfSources(part, left, textOf) {
    if ([...left].some((one) => one && within(one, new Set([part])))) return true;
    const links = [...part.querySelectorAll("a[href]")].map(textOf);
    return 2 * links.join("").length >= textOf(part).length;
  }

  function textLength(nodes) {
    return nodes.reduce(
      (sum, node) => sum + (node.text ?? "").trim().length + textLength(node.kids ?? []),
      0,
    );
  }

  // --- the end of a turn

  // Without its attribute it is a row of buttons after the text. What stands between such a row and
  // the end of the column is its footnote: a notice, or the answer goes on there.
  function actionBar(parts, column, textOf) {
    const marked = parts.filter((part) => part.matches(ACTIONS));
    if (marked.length) return { bar: marked.find(isShown) ?? null, footnote: "" };
    for (const row of parts.filter(isButtonRow).reverse()) {
      if (!column.contains(row)) {
        if (parts.indexOf(row) > parts.indexOf(column)) return { bar: row, footnote: "" };
        continue;
      }
      const footnote = textAround(row, column, "nextSibling", textOf);
      const follows = textAround(row, column, "previousSibling", textOf);
      if (follows && footnote.length <= FOOTNOTE_MAX) return { bar: row, footnote };
    }
    return { bar: null, footnote: "" };
  }

  function isButtonRow(element) {
    if (element.querySelectorAll(BUTTON).length < 3 || bareText(element)) return false;
    return !element.querySelector("a[target]") && !element.closest(DIALOG) && isShown(element);
  }

  // The text of the column after an element of it (`nextSibling`), or before it.
  function textAround(element, column, direction, textOf) {
    let text = "";
    for (let node = element; node !== column; node = node.parentNode) {
      for (let next = node[direction]; next; next = next[direction]) text += textOf(next);
    }
    return text;
  }

  // What the turn says of its end: "true", "false", or nothing.
  function completeness(turn, parts, column) {
    const scope = [turn, ...parts].find((part) => part.matches('[data-scope-id="turn"]'));
    if (scope) return scope.dataset.complete;
    const marks = [turn.parentElement?.closest('[data-scope-id="turn"]')?.dataset.complete];
    for (let node = column; node && node !== parentOf(turn); node = parentOf(node)) {
      marks.push(node.dataset?.complete);
    }
    return marks.includes("true") ? "true" : marks.find(Boolean);
  }

  // Whether a mark of loading is shown in an element, except in other places.
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

  // --- sources: cards beside the answer, or in a dialog that nobody has opened

  function asidesOf(parts, column) {
    const holdsColumn = (part) => column !== null && within(column, new Set([part]));
    const own = parts.filter(
      (part) => part.matches(ASIDE) && !holdsColumn(part) && !isRemark(part, column),
    );
    if (own.some(isFilled)) return new Set(outermost(own));
    const isFree = (part) => !part.closest(TURN.join()) && !parts.includes(part);
    const free = [...document.querySelectorAll(ASIDE)].filter(isFree);
    const place = outermost(free).slice(-1).filter((part) => !own.length || linksIn(part).length);
    return new Set([...outermost(own), ...place]);
  }

  function isFilled(part) {
    return bareText(part) !== "" || part.querySelector(BUTTON) !== null || linksIn(part).length > 0;
  }

  function linksIn(part) {
    return descendants(part).filter((one) => one.matches("a[href]"));
  }

  // An aside of the answer itself, such as a tip: its links, if any, are within sentences.
  function isRemark(part, column) {
    if (part.matches("[data-xid],[data-container-id]")) return false;
    const links = linksIn(part);
    if (column === null) return links.length > 0 && links.every(isInSentence);
    return within(part, new Set([column])) && links.every(isInSentence);
  }

  function isInSentence(link) {
    const beside = [link.previousSibling, link.nextSibling];
    const texts = beside.filter((node) => node?.nodeType === Node.TEXT_NODE);
    return texts.some((text) => /[\p{L}\p{N}]/u.test(text.data));
  }

  function cardsOf(turn, parts, column, aside) {
    const besides = [...aside].flatMap((part) => descendants(part));
    const inAside = cardsAmong(besides, aside, () => true);
    const free = parts.filter((part) => !column?.contains(part) || part.closest(DIALOG));
    const isSource = (card) =>
      isTitled(card) || (isEntry(card) && (column !== null || card.box.closest(DIALOG)));
    const own = inAside.length ? inAside : cardsAmong(free, new Set([turn, ...aside]), isSource);
    return [...own, ...cardsInDialogs(own)];
  }

  // A dialog outside of the turns belongs to the last one if it has its cards, or there is one turn.
  function cardsInDialogs(own) {
    const outside = (dialog) => !turns.some((turn) => within(dialog, new Set([turn])));
    const dialogs = outermost([...document.querySelectorAll(DIALOG)]).filter(outside);
    return dialogs.flatMap((dialog) => {
      const cards = cardsAmong(descendants(dialog), new Set([dialog]), isTitled);
      const shared = own.some((one) => cards.some((card) => card.href === one.href));
      return shared || (!own.length && turns.length === 1) ? cards : [];
    });
  }

  // Short texts with a number in them: one counts the sources.
  function countsIn(parts, aside) {
    const named = parts.filter((part) => part.matches(`${BUTTON},a`));
    const texts = named.flatMap((one) => [squeeze(one.textContent), squeeze(one.ariaLabel ?? "")]);
    const lines = [...aside].flatMap((part) => unitsOf(part));
    return [...texts, ...lines].filter((text) => text.length <= COUNT_TEXT_MAX && /\d/.test(text));
  }

  function cardsAmong(elements, bounds, accepts) {
    const links = elements.filter((element) => element.matches('a[href^="http"],a[href^="/"]'));
    return links
      .map((link) => {
        const box = cardBox(link, bounds);
        const label = squeeze(link.ariaLabel ?? "");
        return { box, link, href: link.href, label, units: unitsOf(box, link) };
      })
      .filter((card) => (card.label || card.units.length) && accepts(card));
  }

  function cardBox(link, bounds) {
    let box = link;
    while (!box.matches('li,[role="listitem"],[data-src-id]')) {
      const parent = parentOf(box);
      if (bounds.has(parent) || parent.matches?.(`${DIALOG},ul,ol,[role="list"]`)) break;
      if ([...parent.querySelectorAll("a[href]")].some((other) => other.href !== link.href)) break;
      box = parent;
    }
    return box;
  }

  function isTitled({ label, units }) {
    return units.some((unit) => unit.length > 3 && label.startsWith(unit));
  }

  // An entry of a list whose link has words of its own, with more beside it; a link to share has not.
  function isEntry({ box, link, units }) {
    if (!box.matches('li,[role="listitem"],[data-src-id]') || units.length < 2) return false;
    return unitsOf(link).length > 0;
  }

  // The texts of an element, one for each line box that it would have if it were shown, and one for
  // the given part of it.
  function unitsOf(element, part = null) {
    const units = [""];
    const read = (node) => {
      if (node.nodeType === Node.TEXT_NODE) units[units.length - 1] += node.data;
      if (node.nodeType !== Node.ELEMENT_NODE) return;
      if (node !== element && (node.matches(UNREAD) || node.matches(BUTTON))) return;
      const style = styleOf(node);
      if (node !== element && style.display === "none") return;
      const isLine = !isInline(style) || node === part;
      if (isLine) units.push("");
      kidsOf(node).forEach(read);
      if (isLine) units.push("");
    };
    read(element);
    return units.map(squeeze).filter(Boolean);
  }

  // --- the look

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

  function alertText(parts) {
    const alerts = parts.filter((part) => part.matches(ALERT) && isShown(part));
    return squeeze(alerts.map((alert) => alert.textContent).join(" "));
  }

  function echoOf(parts, column) {
    const headings = parts.filter((part) => part.matches(QUESTION));
    return headings.find((part) => !column?.contains(part) && isShown(part)) ?? null;
  }

  function stopButton() {
    const button = document.querySelector(STOP);
    if (!button) return "absent";
    return isShown(button) ? "shown" : "hidden";
  }

  function finishedStreams() {
    const requests = performance.getEntriesByType("resource");
    return requests.filter((one) => one.responseEnd > 0 && STREAM.test(new URL(one.name).pathname))
      .length;
  }

  function anyShown(selector) {
    return [...document.querySelectorAll(selector)].some(isShown);
  }

  // Half an emoji can stand at the end of a text that is still streaming.
  function wellFormed(_key, value) {
    return typeof value === "string" ? value.toWellFormed() : value;
  }

  const turns = turnElements();
  const seen = {
    url: location.href,
    title: document.title,
    ready: document.readyState === "complete",
    captcha: anyShown('form#captcha-form,form[action="index"],[data-sitekey],iframe[src*="recaptcha"]'),
    consent: anyShown('#L2AGLb,#W0wltc,form[action^="https://consent.google"]'),
    composer: document.querySelector(COMPOSER) !== null,
    text: turns.length ? "" : (document.body?.innerText ?? "").slice(0, PAGE_TEXT_MAX),
    announcements: announcementsSoFar(),
    stop: stopButton(),
    streams: finishedStreams(),
    loaded_at: performance.timeOrigin,
    turns: turns.length,
    turn: turns.length ? readTurn(ownTurn()) : null,
  };
  return JSON.stringify(seen, wellFormed);
}
