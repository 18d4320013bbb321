#!/bin/sh
# Makes sure that there is a Chromium: the one on the machine, or Debian's package; prints which.
# CHROMIUM=oldest replaces it by the oldest version in Debian's archive.
set -e
find_browser() {
    for name in chromium chromium-browser google-chrome google-chrome-stable \
        microsoft-edge microsoft-edge-stable; do
        command -v "$name" && return
    done
    return 1
}
# Without any font a page has no text that can be seen.
find_browser >/dev/null ||
    sh "$(dirname "$0")/apt_install.sh" Chromium chromium fonts-liberation
if [ "$CHROMIUM" = oldest ]; then
    version=$(apt-cache madison chromium | awk '{ version = $3 } END { print version }')
    sh "$(dirname "$0")/apt_install.sh" "Chromium $version" --allow-downgrades \
        "chromium=$version" "chromium-common=$version" "chromium-headless-shell=$version"
fi
"$(find_browser)" --version 2>/dev/null
