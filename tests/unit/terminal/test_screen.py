"""What a terminal screen shows for a program's output, and its replies."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.terminal import TerminalScreen

SEQUENCES = st.builds(
    lambda start, private, numbers, end: f"\x1b{start}{private}{numbers}{end}".encode(),
    st.sampled_from("[]P7M"),
    st.sampled_from(["", "?", ">", "<", "="]),
    st.lists(st.integers(0, 10**9), max_size=5).map(lambda numbers: ";".join(map(str, numbers))),
    st.sampled_from([chr(code) for code in range(0x40, 0x7F)] + ["$p", "!p", " q", "\x07"]),
)


def shown(written: bytes | str, columns: int = 20, lines: int = 3) -> str:
    screen = TerminalScreen(columns, lines)
    screen.feed(written if isinstance(written, bytes) else written.encode())
    return "\n".join(screen.text).rstrip("\n")


def test_text_is_placed_at_the_cursor() -> None:
    assert shown("one\r\ntwo\x1b[1;10Hthree") == "one      three\ntwo"


def test_long_line_wraps_unless_autowrap_is_off() -> None:
    assert shown("abcdef", columns=4) == "abcd\nef"
    assert shown("\x1b[?7labcdef", columns=4) == "abcf"


def test_wide_characters_take_two_cells() -> None:
    screen = TerminalScreen(20, 2)
    screen.feed("漢字🧵|".encode())
    assert screen.place("|") == (6, 0)
    assert screen.text[0] == "漢字🧵|"


def test_wide_character_wraps_at_the_screen_edge() -> None:
    assert shown("abc漢d", columns=4) == "abc\n漢d"


@pytest.mark.parametrize(("column", "left"), [(1, "x 字"), (2, " x字"), (3, "漢x"), (4, "漢 x")])
def test_overwriting_half_of_a_wide_character_blanks_the_rest(column, left) -> None:
    assert shown(f"漢字\x1b[1;{column}Hx") == left


def test_zero_width_characters_join_the_preceding_character() -> None:
    assert shown("e\u0301 ❤\ufe0f 👨\u200d👩 end") == "e\u0301 ❤\ufe0f 👨\u200d👩 end"
    assert shown("漢\u0301|") == "漢\u0301|"


def test_stacked_accents_are_limited() -> None:
    assert len(shown("a" + "\u0301" * 10_000)) < 20


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[>25u", "\x1b[<u", "\x1b[=1u", "\x1b[?u",  # kitty's keyboard
        "\x1b[?1000h", "\x1b[?1003h", "\x1b[?1006h", "\x1b[?1004h", "\x1b[?2004h", "\x1b[?2048h",
        "\x1b[>4;2m", "\x1b[?4m", "\x1b[!p", "\x1b[2 q", "\x1b[22;0t", "\x1b[?1r", "\x1b[?1s",
        "\x1b]0;title\x07", "\x1b]8;;http://x/\x1b\\", "\x1b]52;c;YQ==\x07", "\x1b]104\x07",
        "\x1bP$qm\x1b\\", "\x1bPq#0;2;0;0;0~~\x1b\\", "\x1b_Gi=1;AAAA\x1b\\", "\x1b^pm\x1b\\",
        "\x1b(B", "\x1b)0", "\x1b=", "\x1b>", "\x07", "\x0e", "\x0f", "\x7f",
        "\x9b?25l", "\x9d0;title\x9c",
    ],
)  # fmt: skip
def test_control_sequences_are_not_shown_even_when_split(sequence) -> None:
    written = f"a{sequence}b".encode()
    assert shown(written) == "ab"
    screen = TerminalScreen()
    for byte in written:
        screen.feed(bytes([byte]))
    assert screen.text[0] == "ab"


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("\x1b[c", "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c"),
        ("\x1b[>c", "\x1b[>41;390;0c"),
        ("\x1b[>q", "\x1bP>|XTerm(390)\x1b\\"),
        ("\x1b[5n", "\x1b[0n"),
        ("ab\r\n c\x1b[6n", "\x1b[2;3R"),
        ("x" * 80 + "\x1b[6n", "\x1b[1;80R"),
        ("\x1b[?6n", "\x1b[?1;1;1R"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;1$y"),
        ("\x1b[?2048$p", "\x1b[?2048;0$y"),
        ("\x1b[14t", "\x1b[4;384;640t"),
        ("\x1b[16t", "\x1b[6;16;8t"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x1b\\"),
        ("\x1b[?u", ""),
        ("\x1b[21t", ""),
        ("\x1b]52;c;?\x07", ""),
    ],
)
def test_terminal_queries_are_answered_as_in_xterm(asked, answered) -> None:
    assert TerminalScreen().feed(asked.encode()).decode() == answered


def test_synchronized_update_is_shown_once_complete() -> None:
    screen = TerminalScreen()
    screen.feed(b"old\x1b[?2026h\x1b[2J\x1b[Hne")
    assert screen.text[0] == "old"
    screen.feed(b"w\x1b[?2026l")
    assert screen.text[0] == "new"


def test_alternate_screen_covers_and_restores_the_main_screen() -> None:
    screen = TerminalScreen()
    screen.feed(b"shell$ \x1b[?1049h\x1b[Hprogram")
    assert screen.text[0] == "program"
    screen.feed(b"\x1b[?1049lnext")
    assert screen.text[0] == "shell$ next"


def test_title_and_clipboard_are_set_by_escape_sequences() -> None:
    screen = TerminalScreen()
    copied = base64.b64encode("ab漢".encode()).decode()
    screen.feed(f"\x1b]2;My; title\x07\x1b]52;c;{copied}\x07\x1b]52;c;!\x07".encode())
    assert (screen.title, screen.clipboard) == ("My; title", "ab漢")


def test_cells_keep_their_style_attributes() -> None:
    screen = TerminalScreen()
    screen.feed(b"\x1b[7mr\x1b[0;38;2;255;135;0mo\x1b[38:2::1:2:3mc\x1b[0;4:3mu\x1b[4:0mn\x1b[1mb")
    looks = dict(zip("rocunb", screen.rows[0], strict=False))
    assert looks["r"].reverse
    assert (looks["o"].fg, looks["c"].fg, looks["b"].fg) == ("ff8700", "010203", "default")
    assert (looks["u"].underscore, looks["n"].underscore) == (True, False)
    assert (looks["n"].bold, looks["b"].bold) == (False, True)


def test_resize_keeps_the_text_that_fits() -> None:
    screen = TerminalScreen(10, 3)
    screen.feed("漢字漢字漢\r\nb\r\nc".encode())
    screen.resize(5, 2)
    assert screen.text == ("b", "c")
    assert (screen.columns, screen.lines) == (5, 2)
    screen.resize(8, 3)
    assert screen.text == ("b", "c", "")


def test_unterminated_control_string_does_not_hide_later_output() -> None:
    screen = TerminalScreen()
    screen.feed(b"\x1b]0;" + b"x" * (2 << 20))
    screen.feed(b"\r\nend")
    assert screen.place("end")


@given(
    st.lists(st.one_of(st.binary(max_size=30), SEQUENCES), max_size=20),
    st.integers(1, 6),
    st.integers(1, 4),
)
def test_arbitrary_output_keeps_the_screen_consistent(written, columns, lines) -> None:
    screen = TerminalScreen(columns, lines)
    for data in written:
        screen.feed(data)
        screen.resize(columns + len(data) % 3, lines + len(data) % 2)
        assert len(screen.text) == screen.lines
        assert 0 <= screen.cursor[0] < screen.columns
        assert 0 <= screen.cursor[1] < screen.lines
