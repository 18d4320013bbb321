"""Which actors are imported, and when."""

import subprocess
import sys

from tabwright.app import ON_DEMAND, PAGE_MODULES

SDK = {"mcp", "mcp_types", "pydantic"}
OTHERS_CLIENTS = {"httpx2", "httpcore2", "wsproto"}


def modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_application_import_does_not_load_on_demand_actors() -> None:
    loaded = modules_after("import tabwright.app, tabwright.cli.read")
    assert loaded & {*ON_DEMAND, "tabwright.page.page", "tabwright.agent.task"} == set()


def test_import_modules_loads_every_on_demand_actor() -> None:
    code = f"from tabwright.app import import_modules; import_modules({ON_DEMAND})"
    assert modules_after(code) >= {*ON_DEMAND}


def test_first_page_call_imports_neither_mcp_sdk_nor_http_client() -> None:
    code = (
        "import tabwright.cli.early_calls, tabwright.browser.early_browser\n"
        f"from tabwright.app import import_modules; import_modules({PAGE_MODULES})"
    )
    assert modules_after(code) & (SDK | OTHERS_CLIENTS | {"tabwright.content.extract"}) == set()


def test_check_of_xml_loads_no_reader_of_html_or_office_files() -> None:
    loaded = modules_after("import tabwright.content.xml_tree")
    readers = {name for name in loaded if name.startswith(("selectolax", "tabwright.content."))}
    assert readers == {"tabwright.content.xml_tree"}


def test_user_process_does_not_import_the_mcp_sdk() -> None:
    loaded = modules_after("import tabwright.cli.user_process")
    assert loaded & (SDK | {"tabwright.actors.mcp_gateway"}) == set()
