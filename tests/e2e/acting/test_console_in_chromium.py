"""The console of a page: values, stacks and counts by navigation, in a real Chromium."""

import pytest
import trio

from tabwright.protocol.actions import WaitFor
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.inspection import Evaluate, ReadConsole
from tabwright.testing.demo import text_of
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

DOM_RECT = '{"x":1,"y":2,"width":3,"height":4,"top":2,"right":4,"bottom":6,"left":1}'


async def entries_of(agent, script, level="debug"):
    """Return the console entries of a page with this script, once it is idle."""
    agent.stand.put("/", f"<link rel=icon href=data:,><script>{script}</script><p>Up")
    await agent.go("/")
    await agent.ask(WaitFor(idle=True))
    return await agent.ask(ReadConsole(level))


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("'plain reason'", "plain reason"),
        ("{code: 7}", "{code: 7}"),
        ("null", "null"),
        ("undefined", "undefined"),
        ("42", "42"),
        ("new TypeError('typed')", "TypeError: typed"),
    ],
)
async def test_a_rejected_promise_is_reported_with_its_reason(agent, reason, shown):
    (entry,) = await entries_of(agent, f"Promise.reject({reason})", "error")
    assert shown in entry.text


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("'obj', {a: 1}, [1, 2, 3]", "obj {a: 1} [1, 2, 3]"),
        ("{a: {b: 1}, c: 'x', d: [1]}", "{a: {…}, c: 'x', d: Array(1)}"),
        ("new Map([['k', {z: 1}]]), new Set([1])", "Map(1) {'k' => {z: 1}} Set(1) {1}"),
        ("new Uint8Array([1, 2])", "Uint8Array(2) [1, 2]"),
        ("null, undefined, true, -0, 10n", "null undefined true -0 10n"),
        ("'%s is %d, %o%c!', 'x', 42.7, {a: 1}, 'color: red', 9", "x is 42, {a: 1}! 9"),
    ],
)
async def test_console_values_are_formatted_as_in_devtools(agent, script, shown):
    (entry,) = await entries_of(agent, f"console.log({script})")
    assert entry.text == shown


async def test_long_string_in_a_logged_object_is_truncated(agent):
    (entry,) = await entries_of(agent, "console.log({a: 'b'.repeat(100) + 'END'})")
    assert entry.text.startswith("{a: 'bbb")
    assert entry.text.endswith("b…'}")


async def test_an_error_that_is_logged_is_reported_with_its_message(agent):
    (entry,) = await entries_of(agent, "console.log('Oh', new Error('boom'), {a: 1})")
    assert entry.text.startswith("Oh Error: boom\n")
    assert entry.text.endswith("{a: 1}")


@pytest.mark.parametrize("call", ["console.error('x')", "console.trace('x')", "throw 'x'"])
async def test_console_entries_for_errors_include_call_stack(agent, call):
    (entry,) = await entries_of(
        agent, f"function inner() {{ {call} }} function outer() {{ inner() }} outer()"
    )
    place = agent.stand.url("/:1:")
    assert [one.split()[0] for one in entry.stack] == ["inner", "outer", "(anonymous)"]
    assert all(one.split()[1].startswith(place) for one in entry.stack)


async def test_script_that_throws_a_non_error_fails_with_the_thrown_value(agent):
    await agent.show("<p>Up")
    for script in ("throw 'plain reason'", "Promise.reject('plain reason')"):
        failed = await agent.refused(Evaluate(script))
        assert isinstance(failed, PageFailed)
        assert "plain reason" in failed.message


@cases(
    ("script", "value"),
    [
        ("({a: [1, 'b', null]})", '{"a":[1,"b",null]}'),
        ("undefined", "null"),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("10n", "10n"),
        ("true", "true"),
        ("'x'", '"x"'),
        ("new Date(0)", '"1970-01-01T00:00:00.000Z"'),
        ("[new Date('?')]", '["Invalid Date"]'),
        ("({a: 1n, b: Symbol('x'), c: NaN})", '{"a":"1n","b":"Symbol(x)","c":null}'),
        ("new Map([['a', new Set([1])]])", '[["a",[1]]]'),
        ("new URL('/a', 'https://b.example')", '"https://b.example/a"'),
        ("new URLSearchParams('a=1')", '[["a","1"]]'),
        ("Promise.resolve(/x/g)", '"/x/g"'),
        ("new TypeError('no')", '"TypeError: no"'),
        ("new Uint8Array([1, 2])", "[1,2]"),
        ("document.querySelectorAll('p')", '["<p id=\\"up\\">"]'),
        ("document.querySelector('p').firstChild", '"Up"'),
        ("document.querySelector('p').classList", "[]"),
        ("(a => { a.b = a; return a })({})", '{"b":"[Circular]"}'),
        ("window", '"[Window]"'),
        ("function name() {}; name", '"[Function: name]"'),
        ("new DOMRect(1, 2, 3, 4)", DOM_RECT),
    ],
)
async def test_script_returns_a_plain_value(agent, script, value):
    await agent.show("<p id=up>Up")
    assert (await agent.ask(Evaluate(script))).json == value


@pytest.mark.whole_browser
async def test_missing_favicon_requested_by_browser_is_not_an_error(agent):
    """Use a browser with windows, as the headless shell does not request icons."""
    agent.stand.put("/", "<p>Up")
    await agent.go("/")
    with trio.fail_after(60):
        while not (reported := await agent.ask(ReadConsole())):
            await trio.sleep(0.05)
    assert [(one.level, one.place) for one in reported] == [
        ("debug", agent.stand.url("/favicon.ico"))
    ]


async def test_missing_favicon_fetched_by_script_is_reported_as_error(agent):
    (entry,) = await entries_of(agent, "fetch('/favicon.ico')", "error")
    assert entry.place == agent.stand.url("/favicon.ico")


@pytest.fixture
def open_client_of(write_config, open_client, tmp_path):
    """Open clients of a server with our own tools or playwright-mcp's."""

    def opened(compat):
        own = {"compat": compat, "structured_content": True}
        return open_client(write_config(mcp=own, session={"dir": str(tmp_path)}, log={"dir": None}))

    return opened


@pytest.mark.parametrize(
    ("compat", "tool", "lister"),
    [
        (None, "navigate", "console"),
        ("playwright", "browser_navigate", "browser_console_messages"),
    ],
)
async def test_navigation_reports_counts_of_console_errors_and_warnings(
    stand, open_client_of, compat, tool, lister
):
    stand.put("/calm", "<script>console.log('fine')</script><p>Calm")
    stand.put("/", "<script>console.warn('a'); console.warn('b'); missing()</script><p>Loud")
    more = {} if compat else {"format": "outline"}
    async with open_client_of(compat) as client:
        loud, calm = [
            await client.call_tool(tool, {"url": stand.url(path), **more})
            for path in ("/", "/calm")
        ]
    assert f"Console: 1 error, 2 warnings ({lister} lists them)." in text_of(loud)
    assert "Console:" not in text_of(calm)
    assert loud.structured_content["console"] == {"errors": 1, "warnings": 2}
    assert "console" not in calm.structured_content
