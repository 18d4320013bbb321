"""The documents: links are valid, and repeated facts match the code."""

import re
import tomllib
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import tabwright
from tabwright.cli.command_line import all_commands
from tabwright.cli.exit_codes import page_exit_code
from tabwright.config.engines import GOOGLE_AI_MODE, RatePolicy, load_engines
from tabwright.config.loader import core_keys
from tabwright.config.search_parsers import load_apis, load_parsers
from tabwright.config.yaml_tables import WEB
from tabwright.protocol.errors import ErrorCode

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tabwright"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PROMISES = (ROOT / "docs" / "explanation" / "reliability.md", ROOT / "SECURITY.md")
TEST = re.compile(r"`([\w/]+\.py)?::(test_\w+)`")
POLICY_BYTES_MAX = 8_192
"""The security policy is a list of promises; `docs/explanation/security.md` describes them."""

RATES = ROOT / "docs" / "howto" / "limit-request-rates.md"
OUTSIDE = ("http://", "https://", "mailto:")


def links(text: str) -> Iterator[str]:
    """Yield the links to places in the repository."""
    for match in LINK.finditer(FENCED.sub("", text)):
        target = match[1] or match[2]
        if not target.startswith(OUTSIDE):
            yield target


def anchors(text: str) -> set[str]:
    """Return the heading anchors of a document, as GitHub makes them."""
    headings = HEADING.findall(FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_nowhere(document: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (document.parent / name).resolve() if name else document
    if not target.exists():
        return True
    return bool(anchor) and anchor not in anchors(target.read_text())


def test_document_links_have_existing_targets() -> None:
    assert [
        f"{document.relative_to(ROOT)}: {link}"
        for document in DOCUMENTS
        for link in links(document.read_text())
        if leads_nowhere(document, link)
    ] == []


def test_link_check_finds_broken_links(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('# A head!\n[a](page.md#a-head) [b](gone.md) [c](#nowhere) <img src="x.svg">')
    found = [link for link in links(page.read_text()) if leads_nowhere(page, link)]
    assert found == ["gone.md", "#nowhere", "x.svg"]


def is_there(file: str, name: str) -> bool:
    """Return whether a file has a test of that name that pytest collects."""
    path = ROOT / file
    if not path.name.startswith("test_") or not path.is_file():
        return False
    return bool(re.search(rf"^(?:async )?def {name}\(", path.read_text(), re.MULTILINE))


def named_tests(text: str) -> Iterator[tuple[str, str]]:
    """Yield the file and the name of each test that a document names.

    A test without a file is in the file of the test before it. A file can be named without `tests`.
    """
    file = ""
    for path, name in TEST.findall(text):
        if path:
            file = f"tests/{path.removeprefix('tests/')}"
        yield file, name


def test_every_test_named_by_a_promise_exists() -> None:
    for document in PROMISES:
        named = [*named_tests(document.read_text())]
        assert [f"{file}::{name}" for file, name in named if not is_there(file, name)] == []
        assert document.read_text().count("::test_") == len(named) > 20


def test_every_promise_has_its_test() -> None:
    reliability, security = (path.read_text() for path in PROMISES)
    rows = [line for line in reliability.splitlines() if line.startswith("| ")]
    promises = [row for row in rows if not row.startswith(("| ---", "| When |", "| Threat |"))]
    assert [row for row in promises if not TEST.search(row)] == []
    holds = security.partition("## What holds today")[2].partition("\n## ")[0]
    assert [one for one in holds.split("\n* ")[1:] if not TEST.search(one)] == []


def test_security_policy_is_a_short_list() -> None:
    assert len((ROOT / "SECURITY.md").read_bytes()) <= POLICY_BYTES_MAX


def test_test_check_finds_tests_that_no_longer_exist() -> None:
    here = "tests/rules/test_documents.py"
    assert is_there(here, "test_every_promise_has_its_test")
    assert not is_there(here, "test_every_promise")
    assert not is_there("tests/unit/gone.py", "test_every_promise_has_its_test")


FOLDERS = "|".join(path.name for path in PACKAGE.iterdir() if path.is_dir())
MODULE = re.compile(rf"`(?:tabwright/)?((?:{FOLDERS})/[\w/]+(?:\.\w+)?)`")
DOTTED = re.compile(r"`(tabwright(?:\.[a-z]\w*)+)`")
CLASS = re.compile(r"`([A-Z]\w*[a-z]\w*)(?:[.(][^`]*)?`")
EXPLANATIONS = [
    ROOT / "CONTRIBUTING.md",
    *(
        path
        for path in sorted((ROOT / "docs" / "explanation").glob("*.md"))
        if path.stem not in {"influences", "reliability"}
    ),
]
GENERATED = {"actors/tools"}
"""The reference of the tools still names the folder that they were in."""

FOREIGN = {"Any", "CancelScope", "HeadlessChrome", "Inspector", "Meta"}


def missing_modules(text: str) -> Iterator[str]:
    """Yield the modules and folders that a document names and the package lacks."""
    for name in MODULE.findall(text):
        if not any((PACKAGE / f"{name}{suffix}").exists() for suffix in ("", ".py")):
            yield name
    for name in DOTTED.findall(text):
        if name.removeprefix("tabwright.") in tabwright.__all__:
            continue
        path = ROOT.joinpath(*name.split("."))
        if not any(one.exists() for one in (path, path.with_suffix(".py"))):
            yield name


def test_modules_that_a_document_names_exist() -> None:
    assert [
        f"{document.relative_to(ROOT)}: {name}"
        for document in DOCUMENTS
        for name in missing_modules(FENCED.sub("", document.read_text()))
        if name not in GENERATED
    ] == []


def test_classes_that_an_explanation_names_exist() -> None:
    classes = FOREIGN | {
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"^(?: *class )?([A-Z]\w+)(?=[(:])", path.read_text(), re.MULTILINE)
    }
    assert [
        f"{document.relative_to(ROOT)}: {name}"
        for document in EXPLANATIONS
        for name in CLASS.findall(FENCED.sub("", document.read_text()))
        if name not in classes
    ] == []


def test_module_check_finds_modules_that_no_longer_exist() -> None:
    text = "`cdp/wire.py`, `tabwright/cdp/gone.py`, `page/gone`, `tabwright.page`, `tabwright.gone`"
    assert [*missing_modules(text)] == ["cdp/gone.py", "page/gone", "tabwright.gone"]


def test_readme_example_matches_the_example_file() -> None:
    example = (ROOT / "examples" / "embed.py").read_text()
    assert f"```python\n{example}```" in (ROOT / "README.md").read_text()


def test_settings_reference_and_defaults_cover_every_setting() -> None:
    reference = (ROOT / "docs" / "reference" / "settings.md").read_text()
    shown = re.findall(r"^```{settings} (\w+)$", reference, re.MULTILINE)
    assert {*shown} == {key.partition(".")[0] for key in core_keys()}
    defaults = (ROOT / "tabwright" / "config" / "default.yaml").read_text()
    for name in {key.partition(".")[2] for key in core_keys()}:
        assert re.search(rf"^  {name}: .+# [A-Z].+", defaults, re.MULTILINE)


def test_reference_of_commands_shows_every_command() -> None:
    pages = [ROOT / "docs" / "reference" / "cli.md", *(ROOT / "docs" / "plugins").glob("*.md")]
    texts = "\n".join(page.read_text() for page in pages)
    shown = re.findall(r"^```{command} (.+)$", texts, re.MULTILINE)
    lacking = {command.name for command in all_commands()} - {*shown}
    assert not lacking, "Add a heading and a {command} block to docs/reference/cli.md."


def rate_row(name: str, pace: RatePolicy) -> str:
    a_day = "any number" if pace.daily_limit is None else f"{pace.daily_limit}"
    pause = f"{pace.cool_down_s / 60:g} min" if pace.cool_down_s else "a person is called"
    return f"| {name} | {pace.min_interval_s:g} s | {a_day} | {pause} |"


def test_page_on_rates_has_the_rate_of_every_engine() -> None:
    known = {**load_parsers(), **load_apis()}
    names = {GOOGLE_AI_MODE: "Google AI Mode", **{n: p.name for n, p in known.items()}}
    paces = load_engines().paces.items()
    rows = "\n".join(rate_row(names[engine], pace) for engine, pace in paces if engine != WEB)
    assert rows in RATES.read_text(), f"The table in {RATES.relative_to(ROOT)} must be:\n{rows}"


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(one for extra in extras for one in extra)]
    names = {re.split(r"[^\w\-.]", requirement)[0] for requirement in wanted}
    text = (ROOT / "docs" / "dependencies.md").read_text()
    given = set(re.findall(r"^\| `([\w\-.]+)` \| .{10,} \| .+ \|$", text, re.MULTILINE))
    assert names == given


def test_benchmark_chart_matches_its_table() -> None:
    spec = spec_from_file_location("mcp_chart", ROOT / "bench" / "mcp_chart.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    table = [*module.rows((ROOT / "bench" / "README.md").read_text())]
    assert len(table) > 20
    assert (ROOT / "docs" / "pictures" / "bench.svg").read_text() == module.chart(table)


def test_reference_of_errors_has_every_page_code_with_its_exit_code() -> None:
    reference = (ROOT / "docs" / "reference" / "errors.md").read_text()
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| (\d+) \|", reference, re.MULTILINE)
    assert rows == [
        (str(int(code)), code.name.lower(), str(page_exit_code(code))) for code in ErrorCode if code
    ]
