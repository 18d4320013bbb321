"""Public suffixes: domains such as ``co.uk`` and ``github.io``, below which sites are separate.

The list is the snapshot in `tldextract`; nothing is downloaded, and nothing is written.
"""

from collections.abc import Callable
from functools import cache


def is_public_suffix(domain: str) -> bool:
    """Return whether the Public Suffix List contains the domain, in lower case and ASCII."""
    return _suffix_finder()(domain) == domain


@cache
def _suffix_finder() -> Callable[[str], str]:
    """Load the list on first use, which takes about 0.3 s: few programs need it."""
    from tldextract import TLDExtract  # noqa: PLC0415  (slow)

    extractor = TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
    return lambda domain: extractor.extract_str(domain).suffix
