#!/bin/sh
# Makes the secrets of a deployment, once: what is there stays as it is. Needs a POSIX shell and nothing else.
# The files can be read by every user, since the containers have users of their own; the directory only by its owner.
set -eu
umask 077
directory="${1:-$(dirname "$0")/secrets}"
mkdir -p "$directory"
chmod 0700 "$directory"

random() {
  od -An -N 32 -t x1 /dev/urandom | tr -d ' \n'
}

# keep NAME VALUE: writes the file at once and whole, unless it exists.
keep() {
  [ -e "$directory/$1" ] && return 0
  printf '%s\n' "$2" > "$directory/$1.new"
  chmod 0444 "$directory/$1.new"
  mv "$directory/$1.new" "$directory/$1"
}

keep kurrentdb_password "$(random)"
keep postgres_password "$(random)"
keep gateway_password "$(random)"
keep HOSTLEDGER_ADMIN_TOKEN "$(random)"

kurrentdb=$(cat "$directory/kurrentdb_password")
postgres=$(cat "$directory/postgres_password")
gateway=$(cat "$directory/gateway_password")
nodes=kurrentdb-1:2113,kurrentdb-2:2113,kurrentdb-3:2113
keep kurrentdb.env "KURRENTDB_DEFAULT_ADMIN_PASSWORD=$kurrentdb
KURRENTDB_DEFAULT_OPS_PASSWORD=$kurrentdb"
keep HOSTLEDGER_EVENT_STORE \
  "esdb://admin:$kurrentdb@$nodes?tls=true&tlsCAFile=/certificates/ca/ca.crt&nodePreference=leader"
keep HOSTLEDGER_DATABASE "postgres://hostledger:$postgres@postgres:5432/hostledger"
# The gateways' own role reaches the table of their counts and nothing else.
keep gateway_database "postgres://hostledger_gateway:$gateway@postgres:5432/hostledger"
