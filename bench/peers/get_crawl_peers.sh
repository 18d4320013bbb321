#!/bin/sh
# The crawlers that bench/crawl.py compares with, in a virtual environment of their own:
#   sh bench/peers/get_crawl_peers.sh FOLDER
set -eu
python3 -m venv "$1"
"$1/bin/python" -m pip install --quiet scrapy==2.19.0 trafilatura==2.3.1 lxml_html_clean==0.4.6 crawl4ai==0.9.5
