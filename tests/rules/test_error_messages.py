"""Values in error messages: page text is quoted, and every other value is listed here.

The message of an error reaches a model outside of the fences around page text, except for its
`Quoted` parts. So a new value in a message is either quoted or added to the list.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import tabwright
from tabwright.protocol import errors

ROOT = Path(tabwright.__file__).parent
PACKAGES = ("actors", "content", "http", "mcp", "page", "reader", "search", "sessions")
KINDS = {name for name, one in vars(errors).items() if isinstance(one, type)}
NAMES = KINDS - {"Quoted", "Sentence", "Hint"} | {"StaleElement", "NotConnected", "BrokenOff"}
QUOTES = {"Quoted", "quoting", "file_problem"}
"""Functions whose values are quoted, or are paths on this machine."""

OURS = {
    "' '.join(problems) or 'No engine is given.'",
    "', '.join(KINDS)",
    "', '.join(known)",
    "', '.join(map(str, listed)) or 'no directory'",
    "', '.join(offered)",
    "', '.join(self._open) or 'none'",
    "', '.join(sorted(known))",
    "'Use one of them.' if names else 'The page has no forms.'",
    "ADVICE.get(code, '')",
    "ADVICE.get(reason, 'Navigate elsewhere, or reload to return to the previous page.')",
    "ADVICE.get(status, '')",
    "BYTES_MAX >> 20",
    "EXAMPLES",
    "LIMIT_MAX",
    "PAGES_MAX",
    "QUESTIONS_MAX",
    "REASONS[found.problem]",
    "SCRIPT_S",
    "TABS_MAX",
    "TASKS_MAX",
    "URL_BYTES_MAX",
    "_advice(accepted)",
    "_options(fields)",
    "advice",
    "api.name",
    "argument.kind",
    "arguments.action",
    "arguments.index",
    "arguments.offset",
    "ca_file",
    "ceil(PAGES_MAX / each)",
    "chars_max",
    "code",
    "count",
    "did_you_mean(name, known)",
    "did_you_mean(name, offered)",
    "did_you_mean(str(kind), KINDS)",
    "element.ref",
    "enough + BRACES_TOKENS",
    "error",
    "error.advice",
    "error.chunks",
    "event",
    "f'There are: {known}.' if known else 'No intervention is open.'",
    "f'There are: {known}.' if known else 'There is none.'",
    "filename",
    "found.count",
    "hold.id",
    "hold.state",
    "keys",
    "kind",
    "known",
    "known.entry.number",
    "latitude",
    "leads",
    "lease.session",
    "len(every)",
    "len(pages)",
    "len(query)",
    "len(self._open)",
    "len(url)",
    "len(values)",
    "length",
    "limit",
    "locator.text",
    "longitude",
    "loss.chunks",
    "loss.reason",
    "manuscript.length",
    "meant",
    "message",
    "more",
    "name",
    "names",
    "node.ref",
    "number",
    "offset",
    "operator",
    "ord(character)",
    "page.message",
    "parser.name",
    "path",
    "pattern",
    "place + 1",
    "place[1]",
    "point",
    "point.picture",
    "proxy.address",
    "query.category",
    "query.page",
    "question.texts.stream_failed",
    "question.texts.timed_out.format(seconds=f'{seconds:g}')",
    "reason",
    "reasons[barrier]",
    "ref",
    "refs",
    "refusal",
    "task",  # its id
    "request.limit",
    "request.number",
    "request.page",
    "request.session",
    "requested",
    "seconds",
    "selector",
    "self._bytes_max",
    "self._idle_s",
    "self._name",
    "self._option(tool)",
    "self._status",
    "self.actor_name",
    "self.api.name",
    "self.locale",
    "self.name",
    "self.parser.name",
    "self.path",
    "self.session",
    "self.timeout_s",
    "session",
    "session.name",
    "shown",
    "source.page.status",
    "status",
    "step.times",
    "task.id",
    "text",
    "there",
    "time_range",
    "time_s",
    "timeout_s",
    "told",
    "tool",
    "tool.group",
    "tool.name",
    "type(action).__name__",
    "type(error).__name__",
    "type(inspection).__name__",
    "view.max_tokens",
    "view.offset",
    "what",
    "where + mend",
    "request.locale",
    "request.timezone",
    "within_s",
    "word",
}
"""The values that are no page text: numbers, refs, names of ours, and arguments of the call."""


def messages(source: str) -> Iterator[ast.expr]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[message, *_]) if name in NAMES:
                yield message
                yield from (word.value for word in node.keywords if word.arg == "advice")


def values(message: ast.expr) -> Iterator[str]:
    match message:
        case ast.Constant():
            return
        case ast.JoinedStr(values=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from values(part)
        case ast.FormattedValue(value=value) | ast.Starred(value=value):
            yield from values(value)
        case ast.Call(func=ast.Name(id=name)) if name in QUOTES:
            return
        case ast.Name(id=name) if name.isupper():
            return
        case _:
            yield ast.unparse(message)


def test_error_messages_quote_every_value_from_a_page() -> None:
    unknown = {
        f"{path.relative_to(ROOT)}: {value}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for message in messages(path.read_text())
        for value in values(message)
        if value not in OURS
    }
    assert not unknown, "Put page text into Quoted(...); add other values to OURS."


def test_unquoted_value_in_error_message_is_found() -> None:
    found = [list(values(one)) for one in messages("BadInput((f'{a} ', Quoted(b), c), advice=d)")]
    assert found == [["a", "c"], ["d"]]
