"""Scrapy with trafilatura: ``python bench/peers/crawl_scrapy.py URL FILE``."""

import sys
from collections.abc import Iterator

import scrapy
import trafilatura
from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor

URL, FILE = sys.argv[1:]


class Pages(scrapy.Spider):
    """A spider that crawls all pages of a site."""

    name = "pages"
    start_urls = (URL,)
    links = LinkExtractor()

    def parse(self, response: TextResponse) -> Iterator[object]:
        """Yield the text of a page, and its links."""
        text = trafilatura.extract(
            response.text, output_format="markdown", include_links=True, url=response.url
        )
        yield {"url": response.url, "text": text}
        for link in self.links.extract_links(response):
            yield response.follow(link)


process = CrawlerProcess(
    {
        "FEEDS": {FILE: {"format": "jsonlines"}},
        "LOG_LEVEL": "ERROR",
        "CONCURRENT_REQUESTS": 8,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "TELNETCONSOLE_ENABLED": False,
    }
)
process.crawl(Pages)
process.start()
