#!/bin/sh
# Makes sure that there is a Chromium: the one on the machine, or Debian's package.
set -e
for name in chromium chromium-browser google-chrome google-chrome-stable \
    microsoft-edge microsoft-edge-stable; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
if ! command -v apt-get >/dev/null 2>&1; then
    echo "No Chromium here, and no apt-get to install one: please install it by hand." >&2
    exit 1
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get update -qq
# Without any font a page has no text that can be seen.
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends \
    chromium fonts-liberation
