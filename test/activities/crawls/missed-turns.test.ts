import test, { type ExecutionContext } from 'ava';
import { crawlSlice } from '#activities/crawls/crawl-slice.ts';
import { hostHashOf, MAX_SLOT_WAIT_MS, waitAfterMissedTurn } from '#activities/crawls/wait-for-request-slot.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { openCrawl, START_URL } from '#test/operations/crawls/open-crawl.ts';
import { egressToTraps } from '#test/support/servers/trap-egress.ts';

const DELAY_MS = 20_000;

/** A crawl of one host, and a function that runs a slice of it after slices that missed their turn. */
async function openSlices(t: ExecutionContext) {
  const { services, scope, crawlId } = await openCrawl(t);
  const crawling = { userAgent: 'test', delayMs: DELAY_MS, maxDelayMs: DELAY_MS, pageTimeoutMs: 1_000 };
  // A slice whose only request fails uses no other service of a worker.
  const worker = { ...services, egress: egressToTraps(), crawling, downloads: { maxBytes: 1_000 } };
  const [collection_id = ''] = scope.collectionIds;
  const args = { workspace_id: scope.workspaceId, collection_id, upload_id: crawlId, crawl_id: crawlId, after: 0 };
  const step = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };
  const slice = (missed_turns: number) =>
    crawlSlice(worker as unknown as WorkerServices, { ...args, missed_turns }, step);
  return { slice, system: services.stores.system };
}

test('a crawl that gets no turn of its host waits longer with every slice, up to half a minute', async (t) => {
  const { slice, system } = await openSlices(t);
  const taken = { intervalMs: DELAY_MS, isIntervalKnown: true, maxWaitMs: 0 };
  await system.reserveRequestSlot(hostHashOf(START_URL), taken);
  const first = await slice(0);
  t.like(first, { fate: 'more', missed_turn: true });
  t.true(first.wait_ms > MAX_SLOT_WAIT_MS && first.wait_ms <= DELAY_MS, String(first.wait_ms));
  for (const missed of [5, 500]) {
    const { wait_ms: waitMs, missed_turn: isMissed } = await slice(missed);
    t.true(isMissed);
    t.true(waitMs >= 30_000 && waitMs <= 37_500, `${waitMs} after ${missed} missed turns`);
  }
});

test('a slice that could send a request has not missed its turn, whatever became of the request', async (t) => {
  const { slice } = await openSlices(t);
  t.false((await slice(7)).missed_turn);
});

test('a crawl whose host is always taken asks for a turn at most thirty times in ten minutes', (t) => {
  let slices = 0;
  for (let passedMs = 0; passedMs < 600_000; slices += 1) passedMs += waitAfterMissedTurn(MAX_SLOT_WAIT_MS + 1, slices);
  t.true(slices >= 15 && slices <= 30, String(slices));
});
