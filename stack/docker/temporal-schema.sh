#!/bin/sh
# Creates Temporal's two databases and updates their schemas to the version of this image. Idempotent.
# The connection is read from SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

for kind in temporal visibility; do
  database=temporal
  [ "$kind" = visibility ] && database=temporal_visibility
  temporal-sql-tool --database "$database" create-database
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-name "postgresql/v12/$kind"
done
