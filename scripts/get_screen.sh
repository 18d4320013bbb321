#!/bin/sh
# Makes sure that there is a screen that nobody sees, for the tests that open windows: Xvfb.
set -e
command -v Xvfb >/dev/null 2>&1 && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "No Xvfb here, and no apt-get to install it: please install it by hand." >&2
    exit 1
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends xvfb
