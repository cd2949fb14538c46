import { createServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { translatePostgresError } from '#store/postgres-errors.ts';
import { createStores } from '#store/stores.ts';

test('reports an unreachable database, from a statement and from a transaction', async (t) => {
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

test('reports a database that accepts connections and never responds', async (t) => {
  const sockets = new Set<{ destroy(): void }>();
  const silent = createServer((socket) => sockets.add(socket));
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  const { port } = silent.address() as AddressInfo; // a TCP server that listens has one
  const url = `postgres://nobody:x@127.0.0.1:${port}/none`;
  const knex = createPostgres({ url, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(async () => {
    await knex.destroy();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const error = await t.throwsAsync(async () => query(knex, 'select 1'), { instanceOf: AppError });
  t.is(error.code, 'dependency_unavailable');
});

test('reports a connection that has ended, whatever the driver calls it', (t) => {
  for (const message of [
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Connection terminated unexpectedly',
  ]) {
    const error = translatePostgresError(new Error(message));
    t.like(error, { code: 'dependency_unavailable' }, message);
  }
  const other = new Error('syntax error');
  t.is(translatePostgresError(other), other);
});

test('says that the database has not been migrated when a table or column is missing', (t) => {
  for (const code of ['42P01', '42703']) {
    const error = translatePostgresError(Object.assign(new Error('"x" does not exist'), { code }));
    t.like(error, { code: 'dependency_unavailable' });
    t.regex(String(error), /has not been migrated for this release: run `npm run migrate`/);
  }
});

test('says that the disk of the database is full', (t) => {
  const full = Object.assign(new Error('could not extend file "base/1/2": No space left on device'), { code: '53100' });
  t.like(translatePostgresError(full), { code: 'dependency_unavailable', cause: full });
  t.regex(String(translatePostgresError(full)), /disk of the database is full: nothing was changed/);
});
