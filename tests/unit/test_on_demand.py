"""Which actors are imported, and when."""

import subprocess
import sys

from tabwright.app import ON_DEMAND


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
    assert {*ON_DEMAND} <= modules_after("from tabwright.app import import_actors; import_actors()")
