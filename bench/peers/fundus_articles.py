"""Print labelled articles: the test pages of fundus (MIT), as its parsers read them.

Each site has a parser that was written for it, so a person chose what its text is. Run in a
checkout of https://github.com/flairNLP/fundus, in an environment in which it is installed:

    PYTHONPATH=src:. python .../bench/peers/fundus_articles.py > fundus.jsonl
"""

import json
from collections.abc import Iterator

from fundus import PublisherCollection
from fundus.publishers.base_objects import Publisher
from tests.utility import load_html_test_file_mapping


def main() -> None:
    for publisher in PublisherCollection:
        for number, (url, html, text) in enumerate(articles(publisher)):
            record = {"id": f"{publisher.name}-{number}", "url": url, "html": html, "text": text}
            print(json.dumps({"set": "fundus", "type": "article", **record}))


def articles(publisher: Publisher) -> Iterator[tuple[str, str, str]]:
    """Yield the URL, the HTML and the text of each test page of a site."""
    for file in load_html_test_file_mapping(publisher).values():
        body = publisher.parser(file.crawl_date).parse(file.content)["body"]
        parts = [*body.summary]
        for section in body.sections:
            parts += [*section.headline, *section.paragraphs]
        yield file.url, file.content, "\n".join(map(str, parts))


if __name__ == "__main__":
    main()
