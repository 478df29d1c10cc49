#!/bin/sh
# Makes sure Zig is there, which compiles the scanner for its tests, from the package index where it is not installed.
# Where it cannot be, those tests are skipped, and say so. $1 is the interpreter of the environment.
set -u

if "$1" -c 'import ziglang' 2>/dev/null; then
    exit 0
fi
echo "fairdeal: installing Zig for the tests of the compiled scanner" >&2
if "$1" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement native/requirements.lock >&2; then
    exit 0
fi
echo "fairdeal: no Zig: tests of the compiled scanner are skipped (install the package 'ziglang')" >&2
