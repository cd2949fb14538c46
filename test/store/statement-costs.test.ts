import test, { type ExecutionContext } from 'ava';
import { measureStatements } from '#bench/scale/measure-statements.ts';
import { storeCalls } from '#bench/scale/store-calls.ts';
import { query } from '#store/postgres.ts';
import { openFilledDatabase } from './filled-database.ts';

const SMALL = { chunks: 6_000, contents: 6_000, collections: 60, memories: 12_000, deliveries: 12_000 };
const GROWTH = 4;
/** What a page of fifty rows, or a count that stops at its bound, reads at most besides: deeper indexes, a page that is full. */
const FIXED_BUFFERS = 1_000;

/** Buffers that each call reads of a data set with so many times the rows. */
async function buffersOf(t: ExecutionContext, factor: number): Promise<Map<string, number>> {
  const size = { ...SMALL, chunks: SMALL.chunks * factor, contents: SMALL.contents * factor };
  const others = { memories: SMALL.memories * factor, deliveries: SMALL.deliveries * factor };
  const { application, data } = await openFilledDatabase(t, { ...size, ...others });
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

test('a page reads less than each of many collections, and not what has ended of a run', async (t) => {
  t.timeout(240_000);
  const size = { chunks: 20_000, contents: 20_000, collections: 800, memories: 10, deliveries: 10 };
  const { application, owner, data } = await openFilledDatabase(t, size);
  const calls = new Map(storeCalls(data).map((call) => [call.what, call]));
  const read = async (what: string) => {
    const call = calls.get(what);
    if (!call) throw new Error(`there is no call "${what}"`);
    return (await measureStatements(application, call, { repetitions: 0 })).buffers;
  };
  // The rows of the page itself take up to ten each.
  const many = await read('contents of a key limited to 1000 collections');
  t.true(many < size.collections, `${many} buffers`);
  const some = await read('contents of a key limited to 100 collections');
  t.true(some < 1_000, `${some} buffers`);
  const pending = await read('what a run has still to do');
  const ended = await query(
    owner,
    `update content_collections set stage = 'failed' where run_id = :uploadId and stage = 'ready' returning content_id`,
    { uploadId: data.uploadId },
  );
  t.true(ended.length > 5_000);
  t.true((await read('what a run has still to do')) <= pending * 1.25);
});
