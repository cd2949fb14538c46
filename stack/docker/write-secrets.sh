#!/bin/sh
# Generates the passwords and keys for docker-compose.yml in .env (mode 0600). Run it again after an upgrade: it adds what is
# missing and changes nothing that is there. Keep a copy of the file: without it, stored credentials and API keys cannot be used.
set -eu
cd "$(dirname "$0")/../.."

umask 077
touch .env
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
added=''
add() {
  grep -q "^$1=" .env && return
  # A last line without its end would swallow the new one.
  [ -z "$(tail -c 1 .env)" ] || echo >> .env
  echo "$1=$2" >> .env
  added="$added $1"
}
add POSTGRES_PASSWORD "$(random)"
add POSTGRES_APP_PASSWORD "$(random)"
add WEAVIATE_API_KEY "$(random)"
add WEAVIATE_CLUSTER_PASSWORD "$(random)"
add LOCI_ADMIN_TOKEN "$(random)"
add LOCI_API_KEY_PEPPER "$(random)"
add LOCI_SECRET_KEYS "1:$(head -c 32 /dev/urandom | base64 | tr -d '\n')"
if [ -z "$added" ]; then
  echo '.env has everything and is not changed.' >&2
else
  echo "Added to .env:$added. Now run: docker compose up"
fi
