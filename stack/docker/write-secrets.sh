#!/bin/sh
# Generates the passwords and keys for docker-compose.yml in .env (mode 0600). Does not replace an existing file. Keep a
# copy of the file: without it, stored credentials and API keys cannot be used.
set -eu
cd "$(dirname "$0")/../.."

if [ -e .env ]; then
  echo '.env already exists and is not changed.' >&2
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
echo 'Wrote .env. Now run: docker compose up'
