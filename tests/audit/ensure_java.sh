#!/bin/sh
# Makes sure a Java is there for the tests of Spark, from the system's packages where none is found. Where it cannot be
# installed those tests are skipped, and say so.
set -u

if command -v java >/dev/null 2>&1; then
    exit 0
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    as_root="sudo -n"
fi
echo "fairdeal: installing Java for the tests of Spark" >&2
export DEBIAN_FRONTEND=noninteractive
if $as_root apt-get update -qq >&2 && $as_root apt-get install -y -qq --no-install-recommends default-jre-headless >&2; then
    exit 0
fi
echo "fairdeal: no Java: tests of Spark are skipped (install the package 'default-jre-headless')" >&2
