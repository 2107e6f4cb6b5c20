#!/bin/sh
# Gives the gateways a role of their own in PostgreSQL. The image runs it when it makes the database; run it again by hand in
# a database that is older, or after another password.
set -eu
sql() {
  psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username hostledger --dbname hostledger "$@"
}
sql --file /gateway-role.sql
# A variable of psql is quoted by psql, and stands in no list of processes.
{
  printf '\\set password `cat /run/secrets/gateway_password`\n'
  printf "alter role hostledger_gateway password :'password';\n"
} | sql
