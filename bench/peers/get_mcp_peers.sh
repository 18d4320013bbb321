#!/bin/sh
# Install other MCP servers for browsers into the folder $1, for bench/mcp.py. They use an existing
# browser, so none is downloaded for them.
set -e
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 PUPPETEER_SKIP_DOWNLOAD=1
npm install --no-fund --no-audit --prefix "$1" @playwright/mcp@0.0.83 chrome-devtools-mcp@1.11.0
