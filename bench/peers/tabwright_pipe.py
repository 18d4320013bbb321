"""tabwright over the pipe, with its own Chromium: a pipe belongs to the process that started it."""

# ruff: noqa: S101  (an assertion is what makes the number a measurement)

import trio
from tabwright_cases import serve

from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.finding import find_browser
from tabwright.cdp.chromium.process import launch
from tabwright.cdp.pipe import PipeLink


async def main() -> None:
    plan = LaunchPlan(path=find_browser(("chromium", "chrome", "edge")).path)
    async with launch(plan) as chromium:
        assert chromium.pipe is not None
        link = PipeLink(*chromium.pipe.take())
        try:
            await serve(link)
        finally:
            await link.aclose()


trio.run(main)
