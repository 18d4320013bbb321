"""The library that is put into each document that is acted on, and how it is called."""

from importlib.resources import files

_FOLDER = files("tabwright.page").joinpath("js")
_PARTS = (
    "native_functions",
    "roles",
    "elements",
    "outline",
    "actionability",
    "form_submission",
    "settle",
    "mask_secrets",
)
_PLACE = "/* library */"


def _source(name: str) -> str:
    return _FOLDER.joinpath(f"{name}.js").read_text(encoding="utf-8")


INSTALL = _source("install").replace(_PLACE, "\n".join(map(_source, _PARTS)))
"""A function declaration: gives the document the number that is its argument, unless it has one,
and answers which it has."""

CALL = """async function call(name, ...values) {
  const answer = await globalThis.tabwright[name](...values);
  return JSON.stringify(answer ?? null).toWellFormed();
}"""
"""A function declaration: calls a function of the library by its name, and answers JSON."""

HOLD = """function hold(name, ...values) { return globalThis.tabwright[name](...values); }"""
"""The same for what is no JSON but an element, or several: answers a handle on it."""
