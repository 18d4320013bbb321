"""Locators as other libraries write them, translated into ours (`tabwright.protocol.locators`).

Models write what they have read most: Playwright's calls, XPath, Selenium's strategies, and the
lines of our own outlines::

    page.getByRole('link', { name: 'Next' }).first()      role=link[name="Next"i] >> nth=0
    get_by_label("Email", exact=True)                     label="Email"
    //a[text()='Terms']                                   xpath=//a[text()='Terms']
    name=email                                            css=[name="email"]
    button "Save"                                         role=button[name="Save"i]
    text: Save                                            text=Save
"""

import re
from collections.abc import Mapping

from tabwright.protocol.quotation_marks import double_quoted, unescaped

_STRING = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`"
_REGEX = r"/(?P<regex>[^/\\^$.*+?()\[\]{}|]+)/i?"

_OBJECT = re.compile(r"(?:await\s+)?(?:this\.|self\.)?(?:page|frame)\.(?=\w+\()")
_CALL = re.compile(rf"\.?(\w+)\(((?:[^()\"'`]|{_STRING})*)\)\s*;?")
_FIRST = re.compile(
    rf"\s*(?:(?P<string>{_STRING})|{_REGEX}|(?P<number>-?\d+))\s*(?:,|$)", re.DOTALL
)
_NAME = re.compile(rf"\bname\s*[:=]\s*(?:(?P<string>{_STRING})|{_REGEX})")
_EXACT = re.compile(r"\bexact\s*[:=]\s*true\b", re.IGNORECASE)

_KINDS: Mapping[str, str] = {
    "getbytext": "text",
    "getbylabel": "label",
    "getbyplaceholder": "placeholder",
    "getbytestid": "testid",
    "getbytitle": "title",
    "getbyalttext": "alt",
}
_INDICES: Mapping[str, str] = {"first": "0", "last": "-1"}

_XPATH = re.compile(r"\(*\.?//?[\w*@.].*", re.DOTALL)
_OUTLINE = re.compile(r"(?P<role>[a-z]+) (?P<name>\"(?:[^\"\\]|\\.)*\")")
_ATTRIBUTE = re.compile(
    r"(?P<name>id|name|class|href|type|value|aria-label|data-[\w-]+)=(?P<value>.+)"
)
_COLON = re.compile(
    r"(?P<kind>role|label|text|placeholder|testid|title|alt|css|xpath):(?P<value>\s.*|[A-Z\"'].*)",
    re.DOTALL,
)
_LINK = re.compile(r"(?:partial )?link(?: text)?=(?P<text>.+)", re.DOTALL)


def translated(locator: str) -> str:
    """Return a locator in our form; any other text is unchanged."""
    if _XPATH.fullmatch(locator):
        return f"xpath={locator}"
    if line := _OUTLINE.fullmatch(locator):
        return f"role={line['role']}[name={line['name']}i]"
    if colon := _COLON.fullmatch(locator):
        return f"{colon['kind']}={colon['value'].strip()}"
    if link := _LINK.fullmatch(locator):
        return f"role=link[name={double_quoted(_bare(link['text']))}i]"
    if attribute := _ATTRIBUTE.fullmatch(locator):
        return f"css=[{attribute['name']}={double_quoted(_bare(attribute['value']))}]"
    return _calls(locator) or locator


def _calls(locator: str) -> str:
    """Return a chain of calls as steps; empty if a call has no such step."""
    steps = list[str]()
    position = match.end() if (match := _OBJECT.match(locator)) else 0
    while position < len(locator):
        call = _CALL.match(locator, position)
        step = _step(call[1].replace("_", "").lower(), call[2]) if call else ""
        if call is None or not step:
            return ""
        steps.append(step)
        position = call.end()
    return " >> ".join(steps)


def _step(method: str, arguments: str) -> str:  # noqa: PLR0911  (a case a method)
    """Return the step of one call; empty if there is none, or for options that it does not have."""
    if method in _INDICES:
        return "" if arguments.strip() else f"nth={_INDICES[method]}"
    first = _FIRST.match(arguments)
    if first is None:
        return ""
    rest = arguments[first.end() :]
    name, exact = _NAME.search(rest), _EXACT.search(rest)
    if _EXACT.sub("", _NAME.sub("", rest)).strip(" \t\n{},"):
        return ""
    value = _value(first)
    if method == "nth":
        return f"nth={first['number']}" if first["number"] and not rest else ""
    if method == "getbyrole":
        case = "" if exact else "i"
        return f"role={value}" + (f"[name={double_quoted(_value(name))}{case}]" if name else "")
    if name:
        return ""
    if method in _KINDS:
        is_exact = exact or method == "getbytestid"
        return f"{_KINDS[method]}={double_quoted(value) if is_exact else value}"
    return value if method in {"locator", "queryselector"} and not exact else ""


def _value(match: re.Match[str]) -> str:
    """Return the text of a string or of a regular expression without special characters."""
    return match["regex"] or _bare(match["string"] or "")


def _bare(text: str) -> str:
    """Return a text without its quotation marks."""
    text = text.strip()
    return unescaped(text[1:-1]) if re.fullmatch(_STRING, text) else text
