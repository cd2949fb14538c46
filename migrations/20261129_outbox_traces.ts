import type { Knex } from 'knex';

/** A workflow that the worker starts continues the trace of the request that promised it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table outbox add column if not exists trace_parent text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table outbox drop column if exists trace_parent');
}
