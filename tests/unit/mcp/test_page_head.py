"""What a page's result says above its text."""

from tabwright.mcp.page_results import ASK_AGAIN, page_result
from tabwright.protocol.page_text import PageText, Timing
from tabwright.protocol.snapshot import Metadata

FACTS = {"type": "Product", "price": "19.99 EUR", "availability": "InStock"}
METADATA = Metadata(author="Ann Lee", published="2027-01-15", facts=FACTS)


def shown(text: str) -> str:
    page = PageText(
        url="https://a.example/",
        title="Kettle",
        status=200,
        media_type="text/html",
        format="markdown",
        text=text,
        tier=1,
        tier_reason="",
        metadata=METADATA,
        timing=Timing(1, 1, 2),
    )
    return "".join(map(str, page_result(page, ASK_AGAIN).parts))


def test_head_has_declared_facts_that_the_text_lacks() -> None:
    text = shown("A kettle of steel.")
    assert "price: 19.99 EUR; availability: InStock" in text
    assert "Ann Lee, 2027-01-15" in text


def test_head_does_not_repeat_what_the_text_says() -> None:
    text = shown("By Ann Lee. A kettle for only €19.99, availability: InStock.")
    assert "price:" not in text
    assert text.count("Ann Lee") == 1
    assert text.count("InStock") == 1
