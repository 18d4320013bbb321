#!/bin/sh
# Create a virtual environment in $1 with other readers of pages, for bench/reading.py.
set -e
"${PYTHON:-python3}" -m venv "$1"
"$1/bin/pip" install --quiet --constraint "$(dirname "$0")/reading_constraints.txt" \
    html2text markdownify "markitdown" resiliparse trafilatura
# It requires older releases of its dependencies than the others, but works with newer ones.
"$1/bin/pip" install --quiet --no-deps "readability-lxml==0.9"
"$1/bin/pip" install --quiet chardet cssselect lxml_html_clean
