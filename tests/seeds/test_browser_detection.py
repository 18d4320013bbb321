from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.chromium.finding import find_browser

EDGE = {
    "linux": ["/usr/bin/microsoft-edge", "/usr/bin/microsoft-edge-stable"],
    "darwin": ["/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"],
    "win32": [
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
        r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
    ],
}
CHROME = {
    "linux": [
        "/usr/bin/google-chrome",
        "/usr/bin/google-chrome-stable",
        "/usr/bin/chromium-browser",
        "/usr/bin/chromium",
    ],
    "darwin": ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
    "win32": [
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ],
}


@st.composite
def machines_with_both(draw: st.DrawFn) -> tuple[str, set[str], set[str]]:
    platform = draw(st.sampled_from(sorted(EDGE)))
    edge = draw(st.sets(st.sampled_from(EDGE[platform]), min_size=1))
    chrome = draw(st.sets(st.sampled_from(CHROME[platform]), min_size=1))
    return platform, edge, chrome


# Feature: nodriver-migration, Property 10: Browser Detection Priority
@given(machine=machines_with_both(), on_path=st.sampled_from(["nothing", "chrome"]))
def test_edge_is_preferred_where_both_are_installed(
    machine: tuple[str, set[str], set[str]], on_path: str
) -> None:
    platform, edge, chrome = machine
    installed = edge | chrome
    found = find_browser(
        platform=platform,
        exists=installed.__contains__,
        which=lambda _name: min(chrome) if on_path == "chrome" else None,
    )

    assert found.name == "edge"
    assert str(found.path) in edge
