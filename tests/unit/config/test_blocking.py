import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.shipped_lists import BlockRules, ad_hosts, block_rules

ALL = block_rules(("image", "font", "media", "ads"))
LABELS = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=8)


@given(host=st.sampled_from(sorted(ad_hosts())), below=st.lists(LABELS, max_size=3))
def test_listed_host_is_blocked_with_its_subdomains(host: str, below: list[str]) -> None:
    name = ".".join([*below, host])
    assert ALL.block(name, "Script")
    assert ALL.block(f"{name.upper()}.", "Fetch")


@given(host=st.sampled_from(sorted(ad_hosts())), before=LABELS, after=LABELS)
def test_host_resembling_listed_one_is_not_blocked(host: str, before: str, after: str) -> None:
    assert not ALL.block(f"{before}{host}", "Script")
    assert not ALL.block(f"{host}.{after}-example", "Script")


@pytest.mark.parametrize("resource_type", ["Image", "Font", "Media"])
def test_blocked_resource_type_is_blocked_on_every_host(resource_type: str) -> None:
    assert ALL.block("www.google.com", resource_type)


@pytest.mark.parametrize("resource_type", ["Script", "Fetch", "XHR", "Stylesheet", "Other"])
def test_resource_types_needed_for_answers_are_not_blocked(resource_type: str) -> None:
    assert not ALL.block("www.google.com", resource_type)
    assert not ALL.block("site1.example", resource_type)


def test_only_what_is_asked_for_is_blocked() -> None:
    assert block_rules(("image",)) == BlockRules(types=frozenset({"Image"}))
    assert not block_rules(()).any
    assert block_rules(("ads",)).hosts == ad_hosts()


def test_search_engine_hosts_are_not_blocked() -> None:
    engines = ("www.google.com", "consent.google.com", "www.gstatic.com", "www.bing.com")
    assert not [host for host in engines if ALL.block(host, "Script")]
