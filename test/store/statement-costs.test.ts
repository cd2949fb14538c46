import test, { type ExecutionContext } from 'ava';
import { fillDataSet } from '#bench/scale/fill-data-set.ts';
import { measureStatements } from '#bench/scale/measure-statements.ts';
import { storeCalls } from '#bench/scale/store-calls.ts';
import { prepareApplicationRole } from '#migrations/application-role.ts';
import { createPostgres } from '#store/postgres.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { testStack } from '#test/support/harness/stack.ts';

const SMALL = { chunks: 6_000, contents: 6_000, collections: 60, memories: 12_000, deliveries: 12_000 };
const GROWTH = 4;
/** What a page of fifty rows, or a count that stops at its bound, reads at most besides: deeper indexes, a page that is full. */
const FIXED_BUFFERS = 1_000;

/** Buffers that each call reads of a data set of this size, behind the policies of the tables. */
async function buffersOf(t: ExecutionContext, factor: number): Promise<Map<string, number>> {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const url = new URL(testStack().environment['LOCI_DATABASE_URL'] ?? '');
  url.pathname = new URL(own.url).pathname;
  await prepareApplicationRole(own.url, url.href);
  const application = createPostgres({ url: url.href, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => application.destroy());
  const size = { ...SMALL, chunks: SMALL.chunks * factor, contents: SMALL.contents * factor };
  const others = { memories: SMALL.memories * factor, deliveries: SMALL.deliveries * factor };
  const data = await fillDataSet(own.database, { ...size, ...others });
  const buffers = new Map<string, number>();
  for (const call of storeCalls(data)) {
    const measured = await measureStatements(application, call, { repetitions: 0 });
    buffers.set(call.what, measured.buffers);
  }
  return buffers;
}

test('lists, counts and loops read no more of four times the rows', async (t) => {
  t.timeout(480_000);
  const small = await buffersOf(t, 1);
  const large = await buffersOf(t, GROWTH);
  const linear = [...small].flatMap(([what, before]) => {
    const after = large.get(what) ?? 0;
    const isBounded = after <= before * 1.25 + FIXED_BUFFERS;
    return isBounded ? [] : [`${what}: ${before} buffers, ${after} of ${GROWTH} times the rows`];
  });
  t.deepEqual(linear, []);
  t.true(small.size > 30);
});
