"""Office files by media type: which reader reads a file, and the snapshot that results.

Word files need the library of the extra ``tabwright[office]``, which is imported on first use. The
others are read by tabwright alone.
"""

from collections.abc import Callable, Mapping
from io import BytesIO
from zipfile import BadZipFile, ZipFile

import attrs

from tabwright.content.documents import snapshot_of_response
from tabwright.content.formats import Format
from tabwright.content.html.snapshot import take_snapshot
from tabwright.plugins.formats.office.archive import Archive, OfficeFileRefused
from tabwright.plugins.formats.office.content import OfficeContent
from tabwright.protocol.errors import ErrorCode, PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import PageSnapshot, PageSource, Selection
from tabwright.protocol.untrusted_text import Quoted

_OPENXML = "application/vnd.openxmlformats-officedocument."
_OPENDOCUMENT = "application/vnd.oasis.opendocument."

WORD = _OPENXML + "wordprocessingml.document"
EXCEL = _OPENXML + "spreadsheetml.sheet"
POWERPOINT = _OPENXML + "presentationml.presentation"
EPUB = "application/epub+zip"

_WORD_WITH_MACROS = "application/vnd.ms-word.document.macroenabled.12"
_EXCEL_TEMPLATE = _OPENXML + "spreadsheetml.template"
_EXCEL_WITH_MACROS = "application/vnd.ms-excel.sheet.macroenabled.12"
_SLIDE_SHOW = _OPENXML + "presentationml.slideshow"
_POWERPOINT_WITH_MACROS = "application/vnd.ms-powerpoint.presentation.macroenabled.12"

ENDINGS: Mapping[str, str] = {
    ".docx": WORD,
    ".docm": _WORD_WITH_MACROS,
    ".xlsx": EXCEL,
    ".xlsm": _EXCEL_WITH_MACROS,
    ".xltx": _EXCEL_TEMPLATE,
    ".pptx": POWERPOINT,
    ".pptm": _POWERPOINT_WITH_MACROS,
    ".ppsx": _SLIDE_SHOW,
    ".odt": _OPENDOCUMENT + "text",
    ".ods": _OPENDOCUMENT + "spreadsheet",
    ".odp": _OPENDOCUMENT + "presentation",
    ".epub": EPUB,
}

_FOLDERS = {"word/": WORD, "xl/": EXCEL, "ppt/": POWERPOINT}
_ZIP_MAGIC = b"PK\x03\x04"
_OLE_MAGIC = b"\xd0\xcf\x11\xe0"
"""The beginning of files with a password, and of those from before 2007 (MS-CFB, section 2.2)."""

_MIME_BYTES = 100


def _word(archive: Archive) -> OfficeContent:
    from tabwright.plugins.formats.office.word import read_word  # noqa: PLC0415  (an extra)

    return read_word(archive)


def _excel(archive: Archive) -> OfficeContent:
    from tabwright.plugins.formats.office.excel import read_excel  # noqa: PLC0415  (few pages are one)

    return read_excel(archive)


def _powerpoint(archive: Archive) -> OfficeContent:
    from tabwright.plugins.formats.office.powerpoint import (  # noqa: PLC0415  (few pages are one)
        read_powerpoint,
    )

    return read_powerpoint(archive)


def _open_document(archive: Archive) -> OfficeContent:
    from tabwright.plugins.formats.office.open_document import (  # noqa: PLC0415  (few pages are one)
        read_open_document,
    )

    return read_open_document(archive)


def _epub(archive: Archive) -> OfficeContent:
    from tabwright.plugins.formats.office.epub import read_epub  # noqa: PLC0415  (few pages are one)

    return read_epub(archive)


READERS: Mapping[str, Callable[[Archive], OfficeContent]] = {
    WORD: _word,
    _OPENXML + "wordprocessingml.template": _word,
    _WORD_WITH_MACROS: _word,
    EXCEL: _excel,
    _EXCEL_TEMPLATE: _excel,
    _EXCEL_WITH_MACROS: _excel,
    POWERPOINT: _powerpoint,
    _SLIDE_SHOW: _powerpoint,
    _OPENXML + "presentationml.template": _powerpoint,
    _POWERPOINT_WITH_MACROS: _powerpoint,
    **{
        f"{_OPENDOCUMENT}{kind}{template}": _open_document
        for kind in ("text", "spreadsheet", "presentation")
        for template in ("", "-template")
    },
    EPUB: _epub,
}
"""The readers by media type."""


def zipped_type(body: bytes) -> str:
    """Return the media type of an office file or a book by its content; empty for other files."""
    if not body.startswith(_ZIP_MAGIC):
        return ""
    try:
        with ZipFile(BytesIO(body)) as opened:
            names = [name.replace("\\", "/").lower() for name in opened.namelist()]
            if "mimetype" in names:  # OpenDocument 1.3, part 2, section 3.3; EPUB OCF, 4.3
                with opened.open("mimetype") as part:
                    declared = part.read(_MIME_BYTES).decode("ascii", "replace").strip()
                return declared if declared in READERS else ""
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError):
        return ""
    return next(
        (kind for start, kind in _FOLDERS.items() for one in names if one[: len(start)] == start),
        "",
    )


def _detect(declared: str, body: bytes) -> str:
    """Return the media type of a file; empty if one that can be read is declared already."""
    return "" if declared in READERS or declared.startswith("text/") else zipped_type(body)


def office_snapshot(fetched: Fetched, kind: str, selection: Selection) -> PageSnapshot:
    """Return an office file or a book as a page.

    Raises:
        BadInput: a selector is not valid CSS.
        PageFailed: the file is damaged, protected or too large, or its reader is not installed.
    """
    try:
        content = READERS[kind](Archive.of(fetched.body))
    except ImportError as error:
        raise _failed(
            fetched,
            "is an office file, and the extra `office` is not installed.",
            "The user can install tabwright[office].",
        ) from error
    except OfficeFileRefused as error:
        raise _failed(fetched, f"{error}.", "Download it to use it otherwise.") from error
    except Exception as error:  # whatever a reader makes of a damaged file
        if fetched.body.startswith(_OLE_MAGIC):
            reason = "is protected by a password, or older than the formats that can be read."
        else:
            reason = "is a file that is damaged or was not loaded whole."
        advice = "Raise network.page_bytes_max if the file is large, or download it."
        raise _failed(fetched, reason, advice) from error
    whole = snapshot_of_response(fetched, kind, content.blocks)
    left = content.left
    if content.html:
        page = PageSource(fetched.page, f"<main>{content.html}</main>")
        taken = take_snapshot(page, selection)
        whole = attrs.evolve(
            whole, content=taken.content, media=taken.media, tree=taken.tree, links=taken.links
        )
        left = (*left, "its end, which is too long") if taken.cut else left
    return attrs.evolve(
        whole,
        title=content.title or whole.title,
        metadata=content.metadata,
        links=content.links or whole.links,
        cut=whole.cut or ("unread_parts" if left else None),
        notice=f"Not read: {'; '.join(left)}." if left else "",
    )


def _failed(fetched: Fetched, reason: str, advice: str) -> PageFailed:
    return PageFailed(
        (Quoted(fetched.page.url), f" {reason}"),
        advice=advice,
        retryable=False,
        code=ErrorCode.EXTRACTION,
    )


OFFICE = Format(ENDINGS, _detect, lambda kind, _: kind in READERS, office_snapshot)
