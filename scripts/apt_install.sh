#!/bin/sh
# Installs Debian's packages $2…, which bring $1; one at a time, for apt-get waits for nobody.
set -e
what=$1
shift
if ! command -v apt-get >/dev/null 2>&1; then
    echo "No $what here, and no apt-get to install one: please install it by hand." >&2
    exit 1
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
exec 9<"$0"
flock 9
# An index of weeks ago names versions that the archive has no more, or that are out of date.
$as_root apt-get update -qq || echo "The package index is as it was: it could not be refreshed." >&2
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@"
