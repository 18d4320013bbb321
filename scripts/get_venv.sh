#!/bin/sh
# Makes a virtual environment in $1; on Debian the module for it may have to be installed first.
set -e
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "Python 3.11 or newer is needed; $python is older. Set PYTHON=…" >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null && command -v apt-get >/dev/null 2>&1; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq python3-venv
fi
"$python" -m venv "$1"
