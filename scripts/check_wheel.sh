#!/bin/sh
# Builds the wheel into dist/ and uses it as a new user would: installed into an empty environment,
# run from an empty folder, for every Python from 3.11 to 3.14 on this machine, and by uvx.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$(cd "${1:-$root/.venv}" && pwd)
work=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$work"' EXIT

rm -rf "$root/dist/wheel"
"$venv/bin/python" -m pip wheel --quiet --no-deps --wheel-dir "$root/dist/wheel" "$root"
wheel=$(ls "$root"/dist/wheel/tabwright-*.whl)
echo "$(basename "$wheel"): $(du -k "$wheel" | cut -f1) kB"

# A page to read, and settings that allow a server on this machine.
mkdir "$work/site" "$work/empty"
echo '<title>Hello</title><p>Read by a wheel that was just built.</p>' > "$work/site/index.html"
printf 'network: {allow_private: true, proxy: none}\n' > "$work/settings.yaml"
python3 -u -m http.server --directory "$work/site" --bind 127.0.0.1 0 > "$work/server.log" 2>&1 &
server=$!
until url=$(grep -o 'http://127.0.0.1:[0-9]*/' "$work/server.log"); do
    kill -0 "$server" || { cat "$work/server.log"; exit 1; }
    sleep 0.1
done

# The interpreters on the path, and those of pyenv.
pythons() {
    for minor in 11 12 13 14; do
        for python in python3.$minor "$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor.*/bin/python 2>/dev/null | tail -1)"; do
            if [ -n "$python" ] && "$python" -c 'import ensurepip' 2>/dev/null; then
                echo "$python"
                break
            fi
        done
    done
}

cd "$work/empty"
export XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data" XDG_STATE_HOME="$work/state"
for python in $(pythons); do
    rm -rf "$work/venv"
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --constraint "$root/constraints.txt" "$wheel" 2>&1 | grep -v WARNING || true
    tabwright=$work/venv/bin/tabwright
    "$tabwright" doctor > "$work/doctor.txt" || { cat "$work/doctor.txt"; exit 1; }
    for tier in 1 2; do
        "$tabwright" read --config "$work/settings.yaml" --tier $tier "$url" | grep -q 'Read by a wheel'
    done
    size=$(du -sm --exclude='pip*' --exclude='setuptools*' --exclude=pkg_resources "$work"/venv/lib/python3.*/site-packages | cut -f1)
    echo "$("$work/venv/bin/python" --version): doctor and read work; $size MB installed"
done

"$venv/bin/uvx" --quiet --from "$wheel" --constraints "$root/constraints.txt" tabwright --version
test -z "$(ls -A)" || { echo "Files were left in the working folder:"; ls -A; exit 1; }
