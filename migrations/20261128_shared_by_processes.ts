import type { Knex } from 'knex';

/**
 * What several processes share. `request_counts`: requests and failed authentications of the current minute, for
 * `LOCI_RATE_LIMIT_STORE=postgres`. Unlogged: written often, and of no use after a crash. The columns are those of
 * rate-limiter-flexible. `expire`: milliseconds since 1970. `maintenance_lease`: one row at most, the process that sweeps for all.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create unlogged table request_counts (key text primary key, points integer not null, expire bigint)
      with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
    create table maintenance_lease (id int primary key check (id = 1), holder text not null, held_until timestamptz not null);
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
