#!/bin/sh
# Makes sure a Chromium is there for the tests of the HTML report: the one named by CHROMIUM, one on PATH,
# or else the system's own package. Prints the path of what it found.
set -eu

find_chromium() {
    if [ -n "${CHROMIUM:-}" ]; then
        command -v "$CHROMIUM"
        return
    fi
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if command -v "$name"; then
            return 0
        fi
    done
    return 1
}

give_up() {
    echo "fairdeal: no Chromium for the report tests: $1" >&2
    echo "Install the package 'chromium' (or 'chromium-browser'), or set CHROMIUM to the path of one." >&2
    exit 1
}

if find_chromium; then
    exit 0
fi
if [ -n "${CHROMIUM:-}" ]; then
    give_up "CHROMIUM is set to '$CHROMIUM', which cannot be run"
fi
if ! command -v apt-get >/dev/null 2>&1; then
    give_up "none is on PATH, and this system has no apt-get to install it with"
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    give_up "none is on PATH, and installing it needs root"
fi

echo "fairdeal: installing Chromium for the report tests" >&2
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq >&2 || give_up "apt-get update failed"
$as_root apt-get install -y -qq --no-install-recommends chromium >&2 ||
    $as_root apt-get install -y -qq --no-install-recommends chromium-browser >&2 ||
    give_up "apt-get could not install it"
find_chromium || give_up "the package was installed, but nothing by its name can be run"
