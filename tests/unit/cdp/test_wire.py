"""Frames to values and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp import wire
from tabwright.cdp.domains.page import Navigated
from tabwright.cdp.domains.target import AttachedToTarget
from tabwright.cdp.errors import MalformedReply, UnsendableText
from tabwright.cdp.wire import present

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Also halves of surrogate pairs, as JavaScript's strings have them."""


def reply(value: object) -> bytes:
    """As Chromium writes it: what is not ASCII as UTF-16 in escapes."""
    return json.dumps({"id": 1, "result": {"frameId": value}}).encode()


def received(frame: bytes) -> str:
    envelope = wire.decode_frame(frame)
    assert envelope is not None
    return wire.decode(envelope.result, Navigated, "Page.navigate").frame_id


def test_a_reply_is_decoded_into_the_shape_asked_for() -> None:
    raw = b'{"frameId":"f","loaderId":"l","isDownload":true,"somethingNew":[1,2]}'
    navigated = wire.decode(raw, Navigated, "Page.navigate")
    assert navigated == Navigated("f", "l", is_download=True)


def test_parts_have_shapes_of_their_own() -> None:
    raw = b'{"sessionId":"s","targetInfo":{"targetId":"t","type":"page"},"waitingForDebugger":true}'
    attached = wire.decode(raw, AttachedToTarget, "Target.attachedToTarget")
    assert attached.target_info.target_id == "t"
    assert attached.waiting_for_debugger


@pytest.mark.parametrize("raw", [b"{}", b'{"frameId":1}', b"[]", b"{", b"", b'{"frameId":"\xff"}'])
def test_another_shape_is_malformed_and_names_the_method(raw: bytes) -> None:
    with pytest.raises(MalformedReply, match=r"^Page\.navigate: "):
        wire.decode(raw, Navigated, "Page.navigate")


def test_bad_utf_8_in_a_result_costs_that_result_only() -> None:
    envelope = wire.decode_frame(b'{"id":1,"result":{"frameId":"\xff"}}')
    assert envelope is not None
    assert envelope.id == 1
    with pytest.raises(MalformedReply):
        wire.decode(envelope.result, Navigated, "Page.navigate")


@given(ANY_TEXT)
def test_any_text_of_a_page_is_read_with_half_pairs_replaced(text: str) -> None:
    well_formed = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert received(reply(text)) == well_formed


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("\ud800", "\ufffd"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
        ("\\ud800 in writing, \ud800 in fact", "\\ud800 in writing, \ufffd in fact"),
        ("\\\ud800", "\\\ufffd"),
    ],
)
def test_half_pairs_are_read_as_replacement_characters(text: str, read: str) -> None:
    assert received(reply(text)) == read


@given(ANY_TEXT)
def test_text_goes_out_as_it_is_or_not_at_all(text: str) -> None:
    try:
        frame = wire.encode_command(1, "", "Input.insertText", {"text": text})
    except UnsendableText:
        with pytest.raises(UnicodeEncodeError):
            text.encode()
    else:
        assert json.loads(frame)["params"] == {"text": text}
        assert b"\0" not in frame


def test_only_what_was_given_is_present() -> None:
    assert present(a=None, b=False, c=0, d="") == {"b": False, "c": 0, "d": ""}
