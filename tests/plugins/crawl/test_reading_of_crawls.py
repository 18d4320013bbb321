"""How crawls and batches read pages, by the arguments of the call and the settings."""

import attrs
import pytest

from tabwright.config.loader import override, settings_from
from tabwright.mcp.tools.page_arguments import default_reading
from tabwright.plugins.crawl.tools import _page_parts, _reading


@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("given", [None, False, True])
def test_readability_argument_overrides_the_setting(given, chosen):
    default = default_reading(settings_from(override(reading__readability=chosen)))
    reading = _reading(default, "", readability=given)
    assert reading.selection.readability is (chosen if given is None else given)


@pytest.mark.parametrize(
    ("chosen", "format_"), [("markdown", "markdown"), ("text", "text"), ("json", "markdown")]
)
def test_json_format_falls_back_to_markdown_for_crawled_pages(chosen, format_):
    default = default_reading(settings_from())
    default = attrs.evolve(default, view=attrs.evolve(default.view, format=chosen))
    assert _reading(default, "", readability=None).view.format == format_


def test_incomplete_page_keeps_its_notice_when_truncated():
    parts = _page_parts("https://a.example/", "A", "word " * 500, "It was still loading.", 50)
    assert "It was still loading." in "".join(map(str, parts))
