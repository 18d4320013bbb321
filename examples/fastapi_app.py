"""Read pages in a FastAPI application: ``python examples/fastapi_app.py PORT [SETTINGS.yaml]``."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI, HTTPException, Request

import tabwright

port, *files = sys.argv[1:]
settings = tabwright.load_settings(*files)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
    """Keep one tabwright for as long as the application runs."""
    async with tabwright.open_asyncio(settings) as tw:
        app.state.tabwright = tw
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/read")
async def read(url: str, request: Request) -> dict[str, str]:
    """Return a page as Markdown."""
    try:
        page = await request.app.state.tabwright.read(url)
    except tabwright.TabwrightError as error:
        raise HTTPException(502, str(error)) from error
    return {"title": page.title, "text": page.text}


uvicorn.run(app, port=int(port), log_level="warning")
