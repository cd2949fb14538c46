#!/bin/sh
# Makes Temporal's two databases and brings their schemas to the version of this image. Doing it again changes nothing.
# Where and as whom: SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD.
set -eu

for kind in temporal visibility; do
  database=temporal
  [ "$kind" = visibility ] && database=temporal_visibility
  temporal-sql-tool --database "$database" create-database
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-name "postgresql/v12/$kind"
done
