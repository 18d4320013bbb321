#!/bin/sh
# What tests take beside Chromium: Xvfb, a screen that nobody sees, Redis, which a fleet shares,
# Chromium's headless shell, which starts in a third of the time, and a Selenium Grid. $1 is the
# virtual environment.
set -e
command -v Xvfb >/dev/null 2>&1 || sh "$(dirname "$0")/apt_install.sh" Xvfb xvfb
command -v redis-server >/dev/null 2>&1 ||
    sh "$(dirname "$0")/apt_install.sh" "Redis server" redis-server
# Where Debian's archive does not have it, Chromium itself is taken; its contract tests are skipped.
[ -x /usr/lib/chromium/chromium-headless-shell ] ||
    ! apt-cache show chromium-headless-shell >/dev/null 2>&1 ||
    sh "$(dirname "$0")/apt_install.sh" "headless shell" chromium-headless-shell
shell=/usr/lib/chromium/chromium-headless-shell
[ ! -x $shell ] || echo "Headless shell: $($shell --version 2>/dev/null)"
sh "$(dirname "$0")/get_grid.sh" "$1" || echo "There is no Selenium Grid: its test is skipped." >&2
