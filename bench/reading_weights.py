"""Learn what distinguishes content from boilerplate, and write the tables of weights.

Run as ``python bench/reading_weights.py PAGES --articles MORE...``, with files of labelled pages
(`reading_truth`). ``content_score.json`` is learned from PAGES, ``article_score.json`` from all.
It needs lightgbm, numpy, scikit-learn and scipy, which nothing else in the project uses:

    python -m venv .peers && .peers/bin/pip install -e . lightgbm scikit-learn
    .peers/bin/python bench/reading_weights.py pages.jsonl.xz --articles articles.jsonl

With ``--folds 5`` it writes nothing, and prints how good the weights are on sites that they were
not learned from: each fifth of the sites is read with weights learned from the other four.
"""

import argparse
import difflib
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import attrs
import lightgbm
import numpy as np
from reading_truth import PASSAGES, SETS, SHINGLES, Page, Score, load, mean_f1, score, words
from scipy.sparse import csr_matrix, vstack
from selectolax.lexbor import LexborHTMLParser
from sklearn.linear_model import LogisticRegression

from tabwright.content.html.hidden_elements import remove_unseen
from tabwright.content.readability import main_content
from tabwright.content.readability.dom_shapes import (
    Kind,
    ShapedPage,
    TextRun,
    group_similar_elements,
)
from tabwright.content.readability.main_content import ContentScore, words_of
from tabwright.content.readability.signals import SIGNALS, PageHead, signals_of

TABLE: Final = Path(main_content.__file__).with_name("content_score.json")
ARTICLES: Final = TABLE.with_name("article_score.json")
SET_WEIGHTS: Final = {SHINGLES: 3.0, PASSAGES: 2.0}
"""Pages of small sets count more, so that the largest set does not dominate."""

SITES_MIN: Final = 8
"""Minimum number of sites that must use a word before it has a worth."""

WORTH_MIN: Final = 0.05
"""Words whose worth has a smaller absolute value are left out."""

PARTS: Final = 4
"""The trees learn from worths of words that come from the other parts of the sites."""

WORDS_CAUTION: Final = 0.1
"""The inverse strength of the regularization of the regression."""

TREES: Final = 60
PARAMETERS: Final = {
    "objective": "cross_entropy",
    "num_leaves": 10,
    "learning_rate": 0.12,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 3,
    "seed": 1,
    "verbose": -1,
}


@attrs.define(eq=False)
class Example:
    """A page to learn from.

    Attributes:
        share: for each text run, how much of it is content, from 0 to 1.
        weight: for each text run; 0 if the labels say nothing about it.
        names: for each text run, how often each word is in the names of the elements around it.
    """

    page: Page
    head: PageHead
    folded: ShapedPage
    share: np.ndarray[Any, Any]
    weight: np.ndarray[Any, Any]
    names: list[Counter[str]]

    def signals(self, worths: Mapping[str, float]) -> np.ndarray[Any, Any]:
        """Return a row of signals for each text run."""
        rows = signals_of(self.folded, self.head, lambda label: worth(label, worths))
        return np.array(rows).reshape(-1, len(SIGNALS))


def part_of(page: Page, parts: int) -> int:
    """Return the part of the sites that a page belongs to."""
    return hashlib.md5(site(page).encode(), usedforsecurity=False).digest()[0] % parts


def site(page: Page) -> str:
    host = urlsplit(page.url).hostname or page.id
    is_made_up = page.set == "mozilla"
    return page.id.rstrip("-0123456789") if is_made_up else ".".join(host.split(".")[-2:])


def worth(label: str, worths: Mapping[str, float]) -> float:
    return sum(worths.get(word, 0.0) for word in words_of(label))


def examples(pages: Iterable[Page]) -> list[Example]:
    """Return an example of each page as it is written and one without hidden elements."""
    return [example(page, document) for page in pages for document in documents(page)]


def documents(page: Page) -> Iterator[LexborHTMLParser]:
    yield LexborHTMLParser(page.html)
    yield seen(page)


def seen(page: Page) -> LexborHTMLParser:
    document = LexborHTMLParser(page.html)
    remove_unseen(document)
    return document


def example(page: Page, document: LexborHTMLParser) -> Example:
    plan = group_similar_elements(document.body)
    share, weight = labels(page, plan)
    names = [Counter(names_round(strand.kind)) for strand in plan.strands]
    return Example(page, PageHead.of(document), plan, share, weight, names)


def names_round(kind: Kind | None) -> list[str]:
    found = list[str]()
    while kind is not None:
        found += words_of(kind.label)
        kind = kind.parent
    return found


def labels(page: Page, plan: ShapedPage) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the content share of each text run, and its weight; a page weighs about 1."""
    texts = [words(block.text()) for block in plan.blocks]
    found = passages(page, texts) if page.set == PASSAGES else aligned(page, texts)
    sizes = [1.0 if page.set == PASSAGES else float(len(text)) for text in texts]
    pairs = [_strand_label(strand, found, sizes) for strand in plan.strands]
    share, size = np.array(pairs).reshape(-1, 2).T
    if page.set == PASSAGES:
        return share, SET_WEIGHTS[PASSAGES] * size / max(1.0, size.sum())
    weight = np.where(size > 0, np.minimum(size / max(30, (size * share).sum()), 0.5) + 0.003, 0)
    return share, SET_WEIGHTS.get(page.set, 1.0) * weight / max(1, weight.sum() / 3)


def _strand_label(
    strand: TextRun, found: Sequence[float | None], sizes: Sequence[float]
) -> tuple[float, float]:
    known = [(found[place], sizes[place]) for place in strand.places]
    size = sum(many for share, many in known if share is not None)
    content = sum(many for share, many in known if share is not None and share >= 0.5)
    return (content / size if size else 0.0), size


def passages(page: Page, texts: Iterable[list[str]]) -> list[float | None]:
    """Return 1 for a block with a required passage, 0 for one with a forbidden passage."""
    must, must_not = (
        [" ".join(words(text)) for text in side] for side in (page.must, page.must_not)
    )
    found: list[float | None] = []
    for text in map(" ".join, texts):
        good, bad = (any(one in text for one in side) for side in (must, must_not))
        found.append(None if good == bad else float(good))
    return found


def aligned(page: Page, texts: Sequence[list[str]]) -> list[float | None]:
    """Return the share of each block's words that are in the labelled text, in the same order."""
    flat = [word for text in texts for word in text]
    hits = np.zeros(len(flat) + 1)
    matcher = difflib.SequenceMatcher(None, flat, words(page.text), autojunk=False)
    for match in matcher.get_matching_blocks():
        hits[match.a : match.a + match.size] = 1
    ends = np.cumsum([len(text) for text in texts])
    return [
        float(hits[end - len(text) : end].mean()) if text else None
        for text, end in zip(texts, ends, strict=True)
    ]


def learned_worths(known: Sequence[Example]) -> dict[str, float]:
    """Return the worth of each word in the names of elements."""
    column = {word: index for index, word in enumerate(common_words(known))}
    model = LogisticRegression(C=WORDS_CAUTION, max_iter=120)
    counts = word_counts(known, column)
    share, weight = column_of(known, "share"), column_of(known, "weight")
    truth = np.repeat([1, 0], len(share))
    model.fit(
        vstack([counts, counts]), truth, np.concatenate([weight * share, weight * (1 - share)])
    )
    worths = {word: round(float(model.coef_[0][index]), 2) for word, index in column.items()}
    return {word: value for word, value in worths.items() if abs(value) >= WORTH_MIN}


def common_words(known: Iterable[Example]) -> list[str]:
    sites: dict[str, set[str]] = {}
    for one in known:
        for word in {word for names in one.names for word in names}:
            sites.setdefault(word, set()).add(site(one.page))
    return sorted(word for word, where in sites.items() if len(where) >= SITES_MIN)


def word_counts(known: Sequence[Example], column: Mapping[str, int]) -> csr_matrix:
    """Return how often each word is in the names around each text run, at most three times."""
    cells = [
        (min(count, 3), row, column[word])
        for row, names in enumerate(names for one in known for names in one.names)
        for word, count in names.items()
        if word in column
    ]
    counts, rows, columns = zip(*cells, strict=True)
    shape = sum(len(one.names) for one in known), len(column)
    return csr_matrix((counts, (rows, columns)), shape, dtype=float)


def column_of(known: Iterable[Example], name: str) -> np.ndarray[Any, Any]:
    return np.concatenate([getattr(one, name) for one in known])


def learned_trees(known: Sequence[Example]) -> list[object]:
    """Return the learned trees in the form of the table."""
    signals = np.concatenate(signals_with_unseen_worths(known))
    share, weight = column_of(known, "share"), column_of(known, "weight")
    says = weight > 0
    data = lightgbm.Dataset(
        signals[says],
        share[says],
        weight=weight[says] / weight[says].mean(),
        feature_name=list(SIGNALS),
    )
    model = lightgbm.train(PARAMETERS, data, TREES).dump_model()
    return [tree(info["tree_structure"]) for info in model["tree_info"]]


def signals_with_unseen_worths(known: Sequence[Example]) -> list[np.ndarray[Any, Any]]:
    """Return signals with worths of words learned from other pages.

    Trees would trust the worth of words too much if it came from the same pages.
    """
    parts = sorted({part_of(one.page, PARTS) for one in known})
    worths = {
        part: learned_worths([one for one in known if part_of(one.page, PARTS) != part])
        for part in parts
    }
    return [one.signals(worths[part_of(one.page, PARTS)]) for one in known]


def tree(node: Mapping[str, Any]) -> object:
    if "leaf_value" in node:
        return round(node["leaf_value"], 4)
    limit = float(f"{node['threshold']:.5g}")
    sides = tree(node["left_child"]), tree(node["right_child"])
    return [SIGNALS[node["split_feature"]], limit, *sides]


def learned(known: Sequence[Example]) -> str:
    """Return the table as JSON, with one word or one tree per line."""
    worths = sorted(learned_worths(known).items())
    words_lines = ",\n".join(f"{json.dumps(word)}: {value}" for word, value in worths)
    trees_lines = ",\n".join(json.dumps(one) for one in learned_trees(known))
    return f'{{\n"words": {{\n{words_lines}\n}},\n"trees": [\n{trees_lines}\n]\n}}\n'


def text_by(weights: ContentScore, one: Example) -> str:
    """Return the text that is kept of a page."""
    kept = main_content.content(one.folded, one.head, weights)
    places = sorted(place for strand in kept for place in strand.places)
    return "\n".join(one.folded.blocks[place].text() for place in places)


def check(pages: Sequence[Page], articles: Sequence[Page], folds: int) -> None:
    """Print the F1 of each set on sites that the weights were not learned from."""
    scores = {name: list[Score]() for name in SETS}
    for fold in range(folds):
        known, more = (
            examples(page for page in some if part_of(page, folds) != fold)
            for some in (pages, articles)
        )
        weights = {False: score_from(known), True: score_from(known + more)}
        for page in pages:
            if part_of(page, folds) == fold:
                one = example(page, seen(page))
                text = text_by(weights[one.head.is_article], one)
                scores[page.set].append(score(page, text))
    for name, found in scores.items():
        print(f"{name}: {mean_f1(name, found):.4f} of {len(found)} pages")


def score_from(known: Sequence[Example]) -> ContentScore:
    return ContentScore.of(learned(known).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", type=Path, help="labelled pages")
    parser.add_argument(
        "--articles",
        type=Path,
        nargs="*",
        default=[],
        help="further labelled pages, which are all articles",
    )
    parser.add_argument("--folds", type=int, help="check on parts of the sites; write nothing")
    options = parser.parse_args()
    pages = load(options.pages)
    articles = [page for path in options.articles for page in load(path)]
    if options.folds:
        check(pages, articles, options.folds)
    else:
        known = examples(pages)
        TABLE.write_text(learned(known))
        ARTICLES.write_text(learned(known + examples(articles)))


if __name__ == "__main__":
    main()
