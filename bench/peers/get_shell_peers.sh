#!/bin/sh
# Install other command lines for browsers into the folder $1, for bench/shell.py. They use an
# existing browser, so none is downloaded for them.
set -e
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
npm install --no-fund --no-audit --prefix "$1" agent-browser@0.27.0 @playwright/cli
