import test from 'ava';
import { AppError } from '../../domain/app-error.ts';
import { createPostgres, query } from '../../store/postgres.ts';
import { createStores } from '../../store/stores.ts';

test('a database that is away is told as such, by a statement and by a transaction', async (t) => {
  const knex = createPostgres({
    url: 'postgres://nobody:x@127.0.0.1:9/none',
    poolSize: 1,
    applicationName: 'loci-test',
  });
  t.teardown(async () => knex.destroy());
  for (const attempt of [
    async () => query(knex, 'select 1'),
    async () => createStores(knex).transaction(async ({ system }) => system.ping()),
  ]) {
    const error = await t.throwsAsync(attempt, { instanceOf: AppError });
    t.is(error.code, 'dependency_unavailable');
    t.true((error.retryAfterS ?? 0) > 0);
    t.false(error.message.includes('127.0.0.1'));
  }
});
