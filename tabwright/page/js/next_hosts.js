// The elements that may have a closed shadow root and were not checked yet, preceded by the number
// of those beyond the limits. The first call follows `readSource`; each further call passes the
// `roots` found for the previous one.
function nextHosts(...roots) {
  const HOSTS_MAX = 1000;
  const CHARACTERS_MAX = 500000; // of names and attributes, which the browser returns with each host
  const ALIKE_MAX = 20; // if so many elements that are alike have no closed root, none has

  /* shadow trees */
  const ICON_SIDE = 32;
  // Custom elements are alike if they share a name, icons if they share a name and classes, and
  // others never.
  const kindOf = (host) => {
    const name = propertyOf(host, "localName");
    if (isCustom(name)) return name;
    if (Math.min(propertyOf(host, "offsetHeight"), propertyOf(host, "offsetWidth")) >= ICON_SIDE) return "";
    const classes = (call(host, "getAttribute", "class") ?? "").split(/\s+/).filter(Boolean).sort().join(" ");
    return classes && `${name} ${classes}`;
  };
  if (!roots.length) Object.assign(closed, { kinds: new Map(), asked: new Set(), characters: 0 });
  for (const root of roots) {
    const host = propertyOf(root, "host");
    closed.roots.set(host, root);
    closed.kinds.set(kindOf(host), -Infinity);
  }
  for (const frame of roots.flatMap((root) => framesOf(root))) {
    const inside = propertyOf(frame, "contentDocument");
    if (inside) shadowRootsOf(propertyOf(inside, "documentElement"));
  }

  const next = [];
  let left = 0;
  const isSeen = (host) => propertyOf(host, "offsetHeight") > 0 && propertyOf(host, "offsetWidth") > 0;
  const ask = (host) => {
    if (closed.asked.has(host)) return;
    const kind = kindOf(host);
    const alike = closed.kinds.get(kind) ?? 0;
    if (kind && alike >= ALIKE_MAX) return;
    const attributes = [...propertyOf(host, "attributes")];
    const characters = attributes.reduce((sum, one) => sum + one.name.length + one.value.length, propertyOf(host, "localName").length);
    if (closed.asked.size >= HOSTS_MAX || closed.characters + characters > CHARACTERS_MAX) {
      left += isSeen(host);
      return;
    }
    closed.kinds.set(kind, alike + 1);
    closed.characters += characters;
    closed.asked.add(host);
    next.push(host);
  };
  // Visible hosts come first; a host without a size may have content that is positioned elsewhere.
  const isFirst = (host) => isCustom(propertyOf(host, "localName")) || isSeen(host);
  const hosts = [...closed.hosts];
  hosts.filter(isFirst).forEach(ask);
  hosts.filter((host) => !isFirst(host)).forEach(ask);
  return [left, ...next];
}
