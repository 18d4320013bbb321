#!/bin/sh
# Makes sure that there is a Chromium: the one on the machine, or Debian's package.
set -e
for name in chromium chromium-browser google-chrome google-chrome-stable \
    microsoft-edge microsoft-edge-stable; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
# Without any font a page has no text that can be seen.
sh "$(dirname "$0")/apt_install.sh" Chromium chromium fonts-liberation
