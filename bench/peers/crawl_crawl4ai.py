"""crawl4ai without a browser: ``python bench/peers/crawl_crawl4ai.py URL FILE PAGES``."""

import asyncio
import json
import sys
from pathlib import Path

from crawl4ai import AsyncWebCrawler, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy

URL, FILE, PAGES = sys.argv[1:]


async def main() -> None:
    config = CrawlerRunConfig(
        deep_crawl_strategy=BFSDeepCrawlStrategy(max_depth=20, max_pages=int(PAGES) + 100),
        stream=True,
        verbose=False,
        semaphore_count=8,
        mean_delay=0,
        max_range=0,
    )
    crawler = AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy(), verbose=False)
    async with crawler:
        async for result in await crawler.arun(URL, config=config):
            if result.success:
                record = {"url": result.url, "text": result.markdown.raw_markdown}
                print(json.dumps(record), file=OUTPUT)


with Path(FILE).open("w") as OUTPUT:
    asyncio.run(main())
