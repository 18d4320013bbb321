"""A trace as a script of Playwright, in JavaScript, that runs with ``node`` alone."""

from collections.abc import Iterator, Sequence

import msgspec

from tabwright.config.secrets import NAME
from tabwright.page.actions.keyboard import KeyChord, Secret, literal, typed
from tabwright.plugins.trace.records import ElementDescription, RecordedTarget
from tabwright.plugins.trace.steps import TraceStep, is_drawing
from tabwright.protocol.actions import (
    AnswerDialog,
    Click,
    Drag,
    Emulate,
    FieldValue,
    Fill,
    Hover,
    Press,
    Scroll,
    SelectOption,
    SelectText,
    SimpleAction,
    Type,
    Upload,
    UseMouse,
    WaitFor,
)
from tabwright.protocol.errors import BadInput

SCRIPT = """// Recorded by tabwright.
const {{ chromium }} = require("playwright");

(async () => {{
  const browser = await chromium.launch({{
    executablePath: process.env.PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH || undefined,
  }});
  try {{
    const context = await browser.newContext();
    let page = await context.newPage();
{lines}
    await page.waitForLoadState();
  }} finally {{
    await browser.close();
  }}
}})().catch((error) => {{
  console.error(error);
  process.exitCode = 1;
}});
"""

INDENT = " " * 4

ROLES = frozenset(
    {
        "button",
        "checkbox",
        "combobox",
        "link",
        "listbox",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "option",
        "radio",
        "searchbox",
        "slider",
        "spinbutton",
        "switch",
        "tab",
        "textbox",
        "treeitem",
    }
)
"""Roles that Playwright has, too; fields with others are found by their labels."""

FIELDS = frozenset(["color", "date", "datetime", "file", "month", "password", "time", "week"])

VIEW_SHARE = 0.9
"""How much of the height of the view a scroll without a distance covers."""


def playwright_script(steps: Sequence[TraceStep]) -> str:
    """Return a script that performs the steps; secrets are environment variables.

    Raises:
        BadInput: Playwright cannot do one of the steps.
    """
    lines = list[str]()
    for step, following in zip(steps, (*steps[1:], None), strict=True):
        if following and isinstance(following.action, AnswerDialog):
            dialog = following.action  # Playwright answers dialogs at once
            text = "" if dialog.text is None else code(dialog.text)
            answer = f"dialog.accept({text})" if dialog.accept else "dialog.dismiss()"
            lines.append(f'page.once("dialog", (dialog) => {answer});')
        own = list(_lines(step))
        if step.opens_tab:
            own[-1] = own[-1].removeprefix("await ").removesuffix(";")
            opened = f'await Promise.all([context.waitForEvent("page"), {own[-1]}])'
            own[-1] = f"[page] = {opened};"
        lines += own
    return SCRIPT.format(lines="\n".join(f"{INDENT}{line}" for line in lines))


def _lines(step: TraceStep) -> Iterator[str]:
    if step.action is not None:
        yield from _action_lines(step, step.action)
    elif step.url:
        if step.new_tab:
            yield "page = await context.newPage();"
        moves = {"back": "goBack()", "forward": "goForward()", "reload": "reload()"}
        yield f"await page.{moves.get(step.url, f'goto({code(step.url)})')};"
    elif step.closes:
        yield "await page.close();"
        yield "page = context.pages().at(-1);"
    else:
        yield f"page = context.pages()[{(step.tab or 1) - 1}];"
        yield "await page.bringToFront();"


def _action_lines(step: TraceStep, action: SimpleAction) -> Iterator[str]:
    found = [locator_code(one) for one in step.targets]
    match action:
        case Click():
            yield f"await {found[0]}.{_clicking(action, step.targets[0])};"
        case Type():
            yield from _typing(action, found[0])
        case Press(keys=keys):
            owner = found[0] if found else "page.keyboard"
            yield from (f"await {owner}.press({code(key)});" for key in keys.split())
        case Fill(fields=fields):
            for place, field in enumerate(fields):
                yield _filling(field, found[place], step.targets[place].element)
            if action.submit:
                yield f'await {found[-1]}.press("Enter");'
        case WaitFor():
            yield from _waiting(action)
        case AnswerDialog():
            pass  # before the action that opened it
        case _:
            call = _on_element(action, found) or _in_view(action, found)
            if not call:
                raise BadInput(
                    f"Step {step.number} cannot be exported to playwright: {step.text}.",
                    advice="Export to python instead.",
                )
            yield f"await {call};"


def _on_element(action: SimpleAction, found: Sequence[str]) -> str:
    """Return the call for an action on an element that needs only one; empty for others."""
    match action:
        case Hover():
            return f"{found[0]}.hover()"
        case Drag():
            return f"{found[0]}.dragTo({found[1]})"
        case SelectText(text=""):
            return f"{found[0]}.selectText()"
        case SelectOption(values=values):
            return f"{found[0]}.selectOption({code(list(values or ()))})"
        case Upload(paths=paths):
            return f"{found[0]}.setInputFiles({code(list(paths))})"
        case _:
            return ""


def _in_view(action: SimpleAction, found: Sequence[str]) -> str:
    """Return the call for an action on the view; empty for others."""
    match action:
        case Scroll():
            return _scrolling(action, found)
        case Emulate() if action.viewport and action.viewport != (0, 0):
            width, height = action.viewport
            return f"page.setViewportSize({{ width: {width}, height: {height} }})"
        case UseMouse(event="move", path=((x, y),)):
            return f"page.mouse.move({x:g}, {y:g})"
        case UseMouse(event="wheel", path=((x, y),)):
            return f"page.mouse.wheel({x:g}, {y:g})"
        case _:
            return ""


def _clicking(action: Click, target: RecordedTarget) -> str:
    """Return the call for a click; on an option of a closed list it is a choice, see `Click`."""
    element = target.element
    if element.tag == "option" and not element.shown:
        chosen = code({"label": element.name})
        return f'locator("xpath=ancestor::select").selectOption({chosen})'
    return f"click({_click_options(action, target)})"


def _click_options(action: Click, target: RecordedTarget) -> str:
    at = action.at or (target.at if is_drawing(target) else None)
    options: dict[str, object] = {}
    if action.button != "left":
        options["button"] = action.button
    if action.count != 1:
        options["clickCount"] = action.count
    if action.modifiers:
        options["modifiers"] = list(action.modifiers)
    if at is not None:
        options["position"] = {"x": at[0], "y": at[1]}
    return code(options) if options else ""


def _typing(action: Type, element: str) -> Iterator[str]:
    pieces = literal(action.text) if action.literal else typed(action.text)
    is_first = not action.append
    for piece in pieces:
        match piece:
            case KeyChord():
                chord = "+".join((*piece.modifiers, piece.key.name))
                yield f"await {element}.press({code(chord)});"
                continue
            case Secret(name=name):
                text = f"process.env[{code(name)}]"
            case str():
                text = code(piece)
        method = "fill" if is_first and not action.slowly else "pressSequentially"
        if is_first and action.slowly:
            yield f"await {element}.clear();"
        yield f"await {element}.{method}({text});"
        is_first = False
    if action.submit:
        yield f'await {element}.press("Enter");'


def _filling(field: FieldValue, element: str, described: ElementDescription) -> str:
    value = field.value
    if isinstance(value, bool):
        return f"await {element}.setChecked({code(value)});"
    if described.kind in {"checkbox", "radio"}:
        return f"await {element}.check();"
    if described.tag == "select":
        return f"await {element}.selectOption({code(value)});"
    text = value if isinstance(value, str) else next(iter(value), "")
    pieces = enumerate(NAME.split(text))  # texts and names of secrets, in turn
    parts = [f"process.env[{code(one)}]" if at % 2 else code(one) for at, one in pieces]
    joined = " + ".join(part for part in parts if part != '""') or '""'
    return f"await {element}.fill({joined});"


def _scrolling(action: Scroll, found: Sequence[str]) -> str:
    match action.goal:
        case "top":
            return "page.evaluate(() => scrollTo(0, 0))"
        case "bottom":
            return "page.evaluate(() => scrollTo(0, document.body.scrollHeight))"
        case "element":
            return f"{found[0]}.scrollIntoViewIfNeeded()"
        case "text":
            return f"page.getByText({code(action.text)}).first().scrollIntoViewIfNeeded()"
        case "by":
            down = f"innerHeight * {VIEW_SHARE}" if action.y is None else f"{action.y}"
            return f"page.evaluate(() => scrollBy({action.x or 0}, {down}))"


def _waiting(action: WaitFor) -> Iterator[str]:
    options = f"{{ timeout: {action.limit_s * 1000:g} }}"
    conditions = list[str]()
    if action.text:
        texts = ").or(page.getByText(".join(map(code, action.text))
        conditions.append(f"page.getByText({texts}).first().waitFor({options})")
    if action.gone:
        hidden = f'{{ state: "hidden", timeout: {action.limit_s * 1000:g} }}'
        conditions.append(f"page.getByText({code(action.gone)}).first().waitFor({hidden})")
    if action.selector.startswith(("css=", "text=")):
        conditions.append(f"page.locator({code(action.selector)}).first().waitFor({options})")
    if action.url:
        conditions.append(
            f"page.waitForURL((url) => url.href.includes({code(action.url)}), {options})"
        )
    if action.idle:
        conditions.append(f'page.waitForLoadState("networkidle", {options})')
    if not conditions:
        conditions.append(f"page.waitForTimeout({action.limit_s * 1000:g})")
    yield from (f"await {one};" for one in conditions)


def locator_code(target: RecordedTarget) -> str:
    """Return the expression of the element that was used on the recorded page."""
    element = target.element
    root = f"page.frame({{ url: (url) => url.pathname === {code(element.page)} }})"
    root = root if element.frame else "page"
    place = f".nth({target.place})" if target.count > 1 else ""
    name = element.name if not element.name.endswith("…") else ""
    if name and element.role in ROLES:
        options = f"{{ name: {code(name)}, exact: true }}"
        return f"{root}.getByRole({code(element.role)}, {options}){place}"
    if name and element.role in FIELDS:
        return f"{root}.getByLabel({code(name)}, {{ exact: true }}){place}"
    if element.test_id:
        return f"{root}.locator({code(f'[data-testid={code(element.test_id)}]')})"
    return f"{root}.locator({code(f'css={element.css}')})"


def code(value: object) -> str:
    """Return a value as an expression of JavaScript."""
    text = msgspec.json.encode(value).decode()
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
