#!/bin/sh
# Makes a virtual environment in $1; on Debian the module for it may have to be installed first.
set -e
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "Python 3.11 or newer is needed; $python is older. Set PYTHON=…" >&2
    exit 1
fi
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    sh "$(dirname "$0")/apt_install.sh" "module for virtual environments" python3-venv
"$python" -m venv "$1"
