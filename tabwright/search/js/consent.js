// Answers the engine's privacy question; returns "answered", or "missing" if there is no button.
//
// The buttons of the results page have ids. The consent page has a form for each answer, whose
// hidden fields say which: the one that opts out of everything is the refusal.
//
// `choice`: "reject" or "accept".
function consent(choice) {
  const marked = { reject: "#W0wltc", accept: "#L2AGLb" }[choice];
  const saysNo = (form) => form.querySelector('input[name="set_eom"]')?.value === "true";
  const forms = [...document.querySelectorAll('form[action^="https://consent.google"]')];
  const form = forms.find((one) => saysNo(one) === (choice === "reject"));
  const button =
    document.querySelector(marked) ?? form?.querySelector('button, input[type="submit"]');
  if (!button) return "missing";
  button.click();
  return "answered";
}
