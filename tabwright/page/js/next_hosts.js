// The elements that may have a closed shadow root and were not looked into, after their number beyond
// the limits. The first call follows `readSource`; each next one brings the `roots` of the last.
function nextHosts(...roots) {
  const HOSTS_MAX = 1000;
  const CHARACTERS_MAX = 500000; // of names and attributes, which the browser returns with each host
  const ALIKE_MAX = 20; // if so many custom elements of a name have no closed root, none has

  /* shadow trees */
  if (!roots.length) Object.assign(closed, { names: new Map(), asked: new Set(), characters: 0 });
  for (const root of roots) {
    const host = propertyOf(root, "host");
    closed.roots.set(host, root);
    closed.names.set(propertyOf(host, "localName"), -Infinity);
  }
  for (const frame of roots.flatMap((root) => framesOf(root))) {
    const inside = propertyOf(frame, "contentDocument");
    if (inside) shadowRootsOf(propertyOf(inside, "documentElement"));
  }

  const next = [];
  let left = 0;
  const ask = (host) => {
    if (closed.asked.has(host)) return;
    const name = propertyOf(host, "localName");
    const alike = closed.names.get(name) ?? 0;
    if (isCustom(name) && alike >= ALIKE_MAX) return;
    const attributes = [...propertyOf(host, "attributes")];
    const characters = attributes.reduce((sum, one) => sum + one.name.length + one.value.length, name.length);
    if (closed.asked.size >= HOSTS_MAX || closed.characters + characters > CHARACTERS_MAX) {
      left += propertyOf(host, "offsetHeight") > 0;
      return;
    }
    closed.names.set(name, alike + 1);
    closed.characters += characters;
    closed.asked.add(host);
    next.push(host);
  };
  // What is shown goes first; a host without a height may show what is positioned elsewhere.
  const isTall = (host) => isCustom(propertyOf(host, "localName")) || propertyOf(host, "offsetHeight") > 0;
  const hosts = [...closed.hosts];
  hosts.filter(isTall).forEach(ask);
  hosts.filter((host) => !isTall(host)).forEach(ask);
  return [left, ...next];
}
