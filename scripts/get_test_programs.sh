#!/bin/sh
# What tests take beside Chromium: Xvfb, a screen that nobody sees, and Chromium's headless shell,
# which starts in a third of the time.
set -e
command -v Xvfb >/dev/null 2>&1 || sh scripts/apt_install.sh Xvfb xvfb
if ! [ -x /usr/lib/chromium/chromium-headless-shell ]; then
    sh scripts/apt_install.sh "headless shell" chromium-headless-shell ||
        echo "Chromium itself is taken in its place; its own contract tests are skipped." >&2
fi
