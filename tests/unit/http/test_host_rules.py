import pytest

from tabwright.http.host_rules import HostRules

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


def test_last_switch_among_browser_arguments_sets_the_host_rules() -> None:
    switches = ("--a", "--host-resolver-rules=MAP * b.example", "--host-resolver-rules=MAP * c")
    assert HostRules.of(switches).place("a.example", 80) == ("c", 80)
    assert HostRules.of(("--a",)) == HostRules()
