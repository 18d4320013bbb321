"""Who says which passages of a page are near to a query, as the settings want it."""

from tabwright.config.settings import QueryJudge, meaning_installed
from tabwright.content.embeddings import by_meaning
from tabwright.content.relevance import Judge, by_words


def judge_of_queries(setting: QueryJudge) -> Judge:
    """The judge that ``reading.query_judge`` names."""
    if setting == "words" or not meaning_installed():
        return by_words
    return by_meaning
