"""Decoding CDP frames into values, and encoding commands."""

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
    """Return a reply as Chromium writes it: non-ASCII characters as UTF-16 escapes."""
    return json.dumps({"id": 1, "result": {"frameId": value}}).encode()


def received(frame: bytes) -> str:
    envelope = wire.decode_frame(frame)
    assert envelope is not None
    return wire.decode(envelope.result, Navigated, "Page.navigate").frame_id


def test_reply_is_decoded_into_requested_type_ignoring_extra_fields() -> None:
    raw = b'{"frameId":"f","loaderId":"l","isDownload":true,"somethingNew":[1,2]}'
    navigated = wire.decode(raw, Navigated, "Page.navigate")
    assert navigated == Navigated("f", "l", is_download=True)


def test_nested_objects_are_decoded_into_their_own_types() -> None:
    raw = b'{"sessionId":"s","targetInfo":{"targetId":"t","type":"page"},"waitingForDebugger":true}'
    attached = wire.decode(raw, AttachedToTarget, "Target.attachedToTarget")
    assert attached.target_info.target_id == "t"
    assert attached.waiting_for_debugger


@pytest.mark.parametrize("raw", [b"{}", b'{"frameId":1}', b"[]", b"{", b"", b'{"frameId":"\xff"}'])
def test_reply_of_wrong_shape_is_malformed_and_names_method(raw: bytes) -> None:
    with pytest.raises(MalformedReply, match=r"^Page\.navigate: "):
        wire.decode(raw, Navigated, "Page.navigate")


def test_invalid_utf8_in_result_still_leaves_frame_id_readable() -> None:
    envelope = wire.decode_frame(b'{"id":1,"result":{"frameId":"\xff"}}')
    assert envelope is not None
    assert envelope.id == 1
    with pytest.raises(MalformedReply):
        wire.decode(envelope.result, Navigated, "Page.navigate")


@given(ANY_TEXT)
def test_decoding_any_text_replaces_lone_surrogates(text: str) -> None:
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
def test_lone_surrogates_are_decoded_as_replacement_characters(text: str, read: str) -> None:
    assert received(reply(text)) == read


@given(ANY_TEXT)
def test_command_text_is_sent_unchanged_or_refused(text: str) -> None:
    try:
        frame = wire.encode_command(1, "", "Input.insertText", {"text": text})
    except UnsendableText:
        with pytest.raises(UnicodeEncodeError):
            text.encode()
    else:
        assert json.loads(frame)["params"] == {"text": text}
        assert b"\0" not in frame


def test_present_omits_only_none_values() -> None:
    assert present(a=None, b=False, c=0, d="") == {"b": False, "c": 0, "d": ""}
