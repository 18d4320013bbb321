// Runs axe-core, which is already loaded into our world, and returns its findings as JSON.
async function auditAccessibility(tags) {
  "use strict";
  const ELEMENTS_MAX = 5;
  const chosen = JSON.parse(tags);
  const runOnly = chosen.length ? { runOnly: { type: "tag", values: chosen } } : {};
  const found = await axe.run(document, { resultTypes: ["violations"], iframes: false, ...runOnly });
  const selector = (node) => node.target.flat().join(" ").slice(0, 300);
  return JSON.stringify({
    version: axe.version,
    passes: found.passes.length,
    incomplete: found.incomplete.length,
    problems: found.violations.map((one) => ({
      rule: one.id, impact: one.impact ?? "minor", help: one.help, help_url: one.helpUrl,
      elements: one.nodes.slice(0, ELEMENTS_MAX).map(selector), count: one.nodes.length,
    })),
  }).toWellFormed();
}
