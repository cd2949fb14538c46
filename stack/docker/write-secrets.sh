#!/bin/sh
# Writes passwords and keys for docker-compose.yml into .env (mode 0600), once: without them stored credentials and API
# keys cannot be used again. Keep a copy of the file.
set -eu
cd "$(dirname "$0")/../.."

if [ -e .env ]; then
  echo '.env is there already; it is left as it is.' >&2
  exit 1
fi
umask 077
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
cat > .env <<EOF
POSTGRES_PASSWORD=$(random)
WEAVIATE_API_KEY=$(random)
WEAVIATE_CLUSTER_PASSWORD=$(random)
LOCI_ADMIN_TOKEN=$(random)
LOCI_API_KEY_PEPPER=$(random)
LOCI_SECRET_KEYS=1:$(head -c 32 /dev/urandom | base64 | tr -d '\n')
EOF
echo 'Wrote .env. Now: docker compose up'
