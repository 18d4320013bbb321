// Each exposed element of a page with what Chromium and what we take it for.
(() => {
  "use strict";
  /* library */
  const rows = [];
  const skipped = /^(HTML|HEAD|META|BODY|SCRIPT|STYLE|TITLE|LINK|BASE|NOSCRIPT|TEMPLATE|BR|WBR|SLOT|COL|COLGROUP|DATALIST)$/;
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) visit(element.shadowRoot);
      if (skipped.test(element.tagName) || element.type === "hidden") continue;
      if (!isExposed(element) || element.closest("[inert]")) continue;
      if (element.ownerSVGElement && element.tagName !== "a") continue;
      if (element instanceof HTMLMediaElement) continue;
      const name = alternative(element, namingRole(element), { visited: new Set(), hidden: null });
      rows.push({
        html: element.outerHTML.slice(0, 200), role: element.computedRole, name: clean(element.computedName),
        our_role: ariaRoleOf(element), our_name: clean(name), listed: roleOf(element), edited: element.isContentEditable === true,
      });
    }
  };
  visit(document);
  return JSON.stringify(rows);
})()
