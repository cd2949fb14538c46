import type { ExecutionContext } from 'ava';
import { fillDataSet, type DataSetSize } from '#bench/scale/fill-data-set.ts';
import { prepareApplicationRole } from '#migrations/application-role.ts';
import { createPostgres } from '#store/postgres.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { testStack } from '#test/support/harness/stack.ts';

/** A data set in a database of its own until the test ends, with a connection of its owner, and one behind the policies of the tables. */
export async function openFilledDatabase(t: ExecutionContext, size: DataSetSize) {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const url = new URL(testStack().environment['LOCI_DATABASE_URL'] ?? '');
  url.pathname = new URL(own.url).pathname;
  await prepareApplicationRole(own.url, url.href);
  const application = createPostgres({ url: url.href, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => application.destroy());
  return { application, owner: own.database, data: await fillDataSet(own.database, size) };
}
