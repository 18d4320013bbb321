"""Read pages in a FastAPI application: ``python examples/fastapi_app.py PORT [SETTINGS.yaml]``."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI, HTTPException, Request

from tabwright import TabwrightError, load_settings, open_tabwright_asyncio, read_layer

port, *files = sys.argv[1:]
settings = load_settings(*(read_layer(Path(file)) for file in files))


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
    """Keep one tabwright for as long as the application runs."""
    async with open_tabwright_asyncio(settings) as tabwright:
        app.state.tabwright = tabwright
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/read")
async def read(url: str, request: Request) -> dict[str, str]:
    """Return a page as Markdown."""
    try:
        page = await request.app.state.tabwright.browse(url)
    except TabwrightError as error:
        raise HTTPException(502, str(error)) from error
    return {"title": page.title, "text": page.text}


uvicorn.run(app, port=int(port), log_level="warning")
