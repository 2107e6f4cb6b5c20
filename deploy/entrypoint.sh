#!/bin/sh
# `hostledger` in a container. A secret mounted as a file that is named like its setting becomes that setting, so that it
# stands neither in the image nor in what `docker inspect` shows.
set -eu
for file in "${SECRETS_DIRECTORY:-/run/secrets}"/HOSTLEDGER_*; do
  [ -f "$file" ] || continue
  value=$(cat "$file")
  export "${file##*/}=$value"
done
# exec: signals reach Node itself, which finishes what is running.
exec node "${PROGRAM:-$(dirname "$0")/../dist/hostledger.mjs}" "$@"
