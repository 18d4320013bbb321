// Returns what the browser has measured of the page (Performance Timeline), as JSON.
async function webVitals() {
  "use strict";
  const LISTED_MAX = 12;
  const SESSION_GAP_MS = 1000;
  const SESSION_MS = 5000;
  const entries = (type, options = {}) => {
    try {
      const found = [];
      const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
      observer.observe({ type, buffered: true, ...options });
      return new Promise((done) => setTimeout(() => {
        observer.disconnect();
        done(found);
      }, 60));
    } catch {
      return [];
    }
  };
  const describe = (node) => {
    if (!node?.localName) return "";
    const id = node.id ? `#${node.id}` : "";
    const classes = [...(node.classList ?? [])].slice(0, 2).map((one) => `.${one}`).join("");
    return `${node.localName}${id}${classes}`.slice(0, 120).toWellFormed();
  };
  const [paints, largest, shifts, events, tasks, frames] = await Promise.all([
    entries("paint"), entries("largest-contentful-paint"), entries("layout-shift"),
    entries("event", { durationThreshold: 16 }), entries("longtask"),
    entries("long-animation-frame"),
  ]);
  const navigation = performance.getEntriesByType("navigation")[0];
  const start = navigation?.activationStart ?? 0;
  const last = largest.at(-1);
  let [cls, sum, first, before] = [0, 0, -Infinity, -Infinity];
  const moved = new Map();
  for (const shift of shifts) {
    if (shift.hadRecentInput) continue;
    const joins = shift.startTime - before < SESSION_GAP_MS && shift.startTime - first < SESSION_MS;
    [sum, first] = joins ? [sum + shift.value, first] : [shift.value, shift.startTime];
    before = shift.startTime;
    cls = Math.max(cls, sum);
    for (const source of shift.sources ?? []) {
      const what = describe(source.node);
      if (what) moved.set(what, (moved.get(what) ?? 0) + shift.value);
    }
  }
  const responses = new Map();
  for (const event of events) {
    if (event.interactionId) responses.set(event.interactionId, Math.max(event.duration, responses.get(event.interactionId) ?? 0));
  }
  const slowest = [...responses.values()].sort((a, b) => b - a);
  const resources = performance.getEntriesByType("resource").map((one) => ({
    url: one.name.slice(0, 500).toWellFormed(), kind: one.initiatorType, ms: one.duration,
    size_bytes: Math.round(one.transferSize ?? 0), blocks: one.renderBlockingStatus === "blocking",
  }));
  const worst = (compare) => [...resources].sort(compare).slice(0, LISTED_MAX / 3);
  const listed = new Set([
    ...resources.filter((one) => one.blocks).slice(0, LISTED_MAX / 3),
    ...worst((a, b) => b.ms - a.ms), ...worst((a, b) => b.size_bytes - a.size_bytes),
  ]);
  const scripts = frames.flatMap((frame) => frame.scripts ?? []).map((one) => ({
    place: `${one.sourceURL || one.invoker} ${one.sourceFunctionName}`.trim().slice(0, 300).toWellFormed(),
    ms: one.duration,
  })).sort((a, b) => b.ms - a.ms).slice(0, 3);
  const image = last?.url ? performance.getEntriesByName(last.url)[0] : undefined;
  const at = (time) => time === undefined ? null : Math.max(0, time - start);
  return JSON.stringify({
    ttfb_ms: at(navigation?.responseStart),
    fcp_ms: at(paints.find((one) => one.name === "first-contentful-paint")?.startTime),
    lcp_ms: at(last?.startTime),
    cls: paints.length ? cls : null,
    inp_ms: slowest.length ? slowest[Math.min(slowest.length - 1, Math.floor(slowest.length / 50))] : null,
    blocked_ms: tasks.reduce((total, one) => total + Math.max(0, one.duration - 50), 0),
    lcp_element: describe(last?.element),
    lcp_requested_ms: at(image?.requestStart || image?.startTime),
    lcp_received_ms: at(image?.responseEnd),
    scripts,
    lcp_url: (last?.url ?? "").slice(0, 500).toWellFormed(),
    shifted: [...moved].sort((a, b) => b[1] - a[1]).slice(0, 3).map((one) => one[0]),
    resources: [...listed],
    requests: resources.length,
    size_bytes: resources.reduce((total, one) => total + one.size_bytes, navigation?.transferSize ?? 0),
  });
}
