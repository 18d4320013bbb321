"""The injected script: calling it, and reading its answers.

They come out of a page: nothing in them is trusted to have the right shape.
"""

import re
from importlib.resources import files
from typing import TypeVar

import msgspec

from tabwright.protocol.errors import PageFailed

ShapeT = TypeVar("ShapeT")

_ESCAPE = re.compile(r"\\(u[dD][89a-fA-F][0-9a-fA-F]{2}|.)")
_ESCAPED_HALF = 5


def read_answer(answer: str, shape: type[ShapeT]) -> ShapeT:
    """What a function of the library answered, in its shape.

    Raises:
        PageFailed: it is not the script's answer.
    """
    try:
        return msgspec.json.decode(_whole(answer), type=shape)
    except msgspec.MsgspecError as error:
        raise PageFailed(f"The page gave no readable answer: {error}.") from error


def _whole(answer: str) -> str:
    """The answer without halves of surrogate pairs, which JavaScript escapes and JSON cannot carry.

    Whole pairs are not escaped (ECMA-262, QuoteJSONString), so that none is taken apart here.
    """
    if "\\ud" not in answer:
        return answer
    return _ESCAPE.sub(
        lambda found: "\ufffd" if len(found[1]) == _ESCAPED_HALF else found[0], answer
    )


# The script that is installed in each document that is acted on.

_FOLDER = files(__package__ or "").joinpath("js")
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
