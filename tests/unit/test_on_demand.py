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


def test_actors_that_start_on_demand_are_not_imported_with_the_application() -> None:
    loaded = modules_after("import tabwright.app, tabwright.cli.browse")
    assert loaded & {*ON_DEMAND, "tabwright.page.page", "tabwright.agent.task"} == set()


def test_server_that_has_time_imports_them_all() -> None:
    code = f"from tabwright.app import import_modules; import_modules({ON_DEMAND})"
    assert modules_after(code) >= {*ON_DEMAND}


def test_first_call_on_a_page_needs_neither_the_sdk_nor_an_http_client() -> None:
    code = (
        "import tabwright.cli.early_calls, tabwright.browser.early_browser\n"
        f"from tabwright.app import import_modules; import_modules({PAGE_MODULES})"
    )
    assert modules_after(code) & (SDK | OTHERS_CLIENTS | {"tabwright.content.extract"}) == set()


def test_process_of_a_user_needs_the_sdk_only_for_clients_of_mcp() -> None:
    loaded = modules_after("import tabwright.cli.user_process")
    assert loaded & (SDK | {"tabwright.actors.mcp_gateway"}) == set()
