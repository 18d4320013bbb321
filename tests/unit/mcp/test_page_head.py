"""The head of a page's result: facts and notices besides the text."""

import attrs

from tabwright.mcp.page_results import ASK_AGAIN, INCLUDE_MEDIA, page_result
from tabwright.protocol.page_text import CUTS, PageText, Timing, Truncation
from tabwright.protocol.snapshot import MediaItem, Metadata, Thumbnail
from tabwright.protocol.untrusted_text import fence_untrusted
from tabwright.reader.media import canvas_notice, picture_notice

FACTS = {"type": "Product", "price": "19.99 EUR", "availability": "InStock"}
METADATA = Metadata(author="Ann Lee", published="2027-01-15", facts=FACTS)


PAGE = PageText(
    url="https://a.example/",
    title="Kettle",
    status=200,
    media_type="text/html",
    format="markdown",
    text="",
    tier=1,
    tier_reason="",
    metadata=METADATA,
    timing=Timing(1, 1, 2),
)


def shown(text: str) -> str:
    return "".join(map(str, page_result(attrs.evolve(PAGE, text=text), ASK_AGAIN).parts))


def test_head_has_declared_facts_that_the_text_lacks() -> None:
    text = shown("A kettle of steel.")
    assert "price: 19.99 EUR; availability: InStock" in text
    assert "Ann Lee, 2027-01-15" in text


def test_head_does_not_repeat_what_the_text_says() -> None:
    text = shown("By Ann Lee. A kettle for only €19.99, availability: InStock.")
    assert "price:" not in text
    assert text.count("Ann Lee") == 1
    assert text.count("InStock") == 1


def test_notice_is_outside_the_fence_of_the_page() -> None:
    page = attrs.evolve(PAGE, format="json", text='{"a": "</untrusted n>"}', notice="No frames.")
    text = fence_untrusted(page_result(page, ASK_AGAIN).parts, "n1")
    first, rest = text.split("\n</untrusted n1>\n", 1)
    assert first == f"<untrusted n1>\n{page.text}"
    assert not rest.startswith("<untrusted")
    assert rest.endswith("<untrusted n1>\nNo frames.\n</untrusted n1>")


def image(number: int, url: str) -> MediaItem:
    return MediaItem(number, "image", url)


def with_images(*images: MediaItem) -> PageText:
    return attrs.evolve(PAGE, media=images)


def test_pictures_that_cannot_be_shown_have_a_notice() -> None:
    photo, drawing = image(1, "https://a.example/1.jpg"), image(2, "https://a.example/2.svg?x")
    thumbnail = Thumbnail(1, photo.url, "", "image/jpeg", b"", 20, 20)
    assert picture_notice(with_images(), ()) == ""
    assert picture_notice(with_images(photo), (thumbnail,)) == ""
    assert "None of the pictures" in picture_notice(with_images(photo), ())
    assert "pictures 2" in picture_notice(with_images(photo, drawing), (thumbnail,))


def canvas(number: int, drawing: bytes = b"picture") -> MediaItem:
    return MediaItem(number, "canvas", "", drawn=True, drawing=drawing)


def test_canvas_notice_offers_include_media() -> None:
    notice = canvas_notice(with_images(canvas(1), canvas(2)), None, INCLUDE_MEDIA)
    assert "canvas 1, 2" in notice
    assert "include_media" in notice
    assert "screenshot" not in notice
    assert (
        canvas_notice(with_images(image(1, "https://a.example/1.jpg")), None, INCLUDE_MEDIA) == ""
    )


def test_canvas_missing_from_requested_images_suggests_a_screenshot() -> None:
    thumbnail = Thumbnail(1, "", "", "image/jpeg", b"", 20, 20)
    for shown, missing in [((), "canvas 1, 2"), ((thumbnail,), "canvas 2")]:
        notice = canvas_notice(with_images(canvas(1), canvas(2)), shown, INCLUDE_MEDIA)
        assert missing in notice
        assert "screenshot" in notice
        assert "include_media" not in notice
    assert canvas_notice(with_images(canvas(1)), (thumbnail,), INCLUDE_MEDIA) == ""


def test_canvas_that_was_not_read_suggests_a_screenshot() -> None:
    notice = canvas_notice(
        with_images(canvas(1), *(canvas(n, b"") for n in range(2, 30))), None, INCLUDE_MEDIA
    )
    assert "Canvas 2, 3" in notice
    assert "29" not in notice
    assert "screenshot" in notice


def test_result_of_a_truncated_page_states_the_reason() -> None:
    page = attrs.evolve(PAGE, text="Half", truncation=Truncation("broken_off"))
    assert CUTS["broken_off"] in "".join(map(str, page_result(page, ASK_AGAIN).parts))
