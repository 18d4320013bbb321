import pytest

from tabwright.browser.host_rules import HostRules

RULES = """MAP *.test 127.0.0.1:8080, map b.example [::1], MAP c.example:81 d.example,
    MAP gone.example ~NOTFOUND, EXCLUDE own.test, nonsense"""


@pytest.mark.parametrize(
    ("place", "leads_to"),
    [
        (("a.test", 80), ("127.0.0.1", 8080)),
        (("A.B.Test", 443), ("127.0.0.1", 8080)),
        (("own.test", 80), ("own.test", 80)),
        (("b.example", 80), ("::1", 80)),
        (("c.example", 80), ("c.example", 80)),
        (("c.example", 81), ("d.example", 81)),
        (("gone.example", 80), ("", 80)),
        (("other.example", 80), ("other.example", 80)),
    ],
)
def test_host_rules_map_host_and_port(place: tuple[str, int], leads_to: tuple[str, int]) -> None:
    assert HostRules.read(RULES).place(*place) == leads_to
