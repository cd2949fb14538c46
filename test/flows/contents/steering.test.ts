import test from 'ava';
import { idsOf, longText, openInsides, startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';

const big = (topic?: string) => ['file', new File([longText(1_200, topic)], `${topic ?? 'big'}.txt`)] as const;
const small = (index: number) => ['files', new File([`A small file, number ${index}.`], `small-${index}.txt`)] as const;

test('a paused content makes no progress, shows the status paused, and becomes ready after it is resumed', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.send(big()));
  const paused = await flow.control(`/contents/${id}/pause`);
  t.is(paused.status, 200);
  t.like(paused.body, { status: 'paused' });
  t.is((await flow.control(`/contents/${id}/pause`)).status, 200, 'a repeated request changes nothing');
  const rest = await untilUnchanged(async () => (await flow.content(id)).updated_at);
  t.like(await flow.content(id), { status: 'paused' });
  t.deepEqual(await flow.search('lighthouse'), [], `nothing is published while it is paused (at ${rest})`);
  t.is((await flow.control(`/contents/${id}/resume`)).status, 200);
  t.is((await flow.reach(id, 'ready', 'failed')).status, 'ready');
  t.is((await flow.search('lighthouse', { max_results: 100 })).length, 100);
});

test('a content paused while it is read or indexed keeps the status paused', async (t) => {
  const flow = await startFlow();
  for (const stage of ['reading', 'splitting', 'indexing'] as const) {
    const [id] = idsOf(await flow.send(big(stage)));
    const later = {
      reading: ['reading', 'splitting', 'indexing'],
      splitting: ['splitting', 'indexing'],
      indexing: ['indexing'],
    } as const;
    await flow.reach(id, ...later[stage], 'ready');
    const answer = await flow.control(`/contents/${id}/pause`);
    if (answer.status === 409) continue; // it was faster
    await untilUnchanged(async () => (await flow.content(id)).status_message);
    t.like(
      await flow.content(id),
      { status: 'paused', status_message: 'Paused by a request; resume to go on.' },
      stage,
    );
    await flow.control(`/contents/${id}/resume`);
    t.is((await flow.reach(id, 'ready', 'failed')).status, 'ready');
    t.is((await flow.content(id)).status_message, null);
  }
});

test('a paused upload can be cancelled; a cancelled content leaves nothing behind and is ingested when it is retried', async (t) => {
  const flow = await startFlow();
  const insides = openInsides(t);
  const { upload_id, uploads } = await flow.send(big('harbour'), small(1), small(2));
  const [first = ''] = uploads.map(({ content_id }) => content_id);
  await flow.reach(first, 'indexing', 'ready');
  await flow.control(`/uploads/${upload_id}/pause`);
  const paused = await flow.progress(upload_id);
  t.is(paused.status, 'paused');
  // Small files may have become ready before the pause; the large one takes seconds.
  const ready = paused.progress.by_status['ready'] ?? 0;
  await flow.control(`/uploads/${upload_id}/cancel`);
  const { status, progress } = await flow.progress(upload_id);
  t.is(status, ready === 0 ? 'cancelled' : 'completed_with_errors');
  t.like(progress, { total: 3, settled: 3, percent: 100 });
  t.deepEqual(progress.by_status, { cancelled: 3 - ready, ...(ready === 0 ? {} : { ready }) });
  t.like(await flow.content(first), { status: 'cancelled' });
  for (const { content_id: id } of uploads) {
    if ((await flow.content(id)).status === 'ready') continue;
    await until(
      () => insides.traces(flow, id),
      ({ rows, objects }) => rows === 0 && objects === 0,
    );
  }
  const found = await flow.search('small file number or harbour');
  t.is(found.length, ready);
  t.false(found.some(({ content_id: id }) => id === first));

  t.is((await flow.control(`/contents/${first}/cancel`)).status, 200, 'cancelling again succeeds');
  t.is((await flow.control(`/contents/${first}/retry`)).status, 200);
  t.is((await flow.reach(first, 'ready', 'failed')).status, 'ready');
  t.is((await flow.search('harbour', { max_results: 100 })).length, 100);
  t.is((await flow.control(`/contents/${first}/retry`)).status, 409, 'a ready content cannot be retried');
  t.is((await flow.progress(upload_id)).status, ready === 2 ? 'completed' : 'completed_with_errors');
});

test('pausing, resuming and cancelling an upload affect all its unfinished contents', async (t) => {
  const flow = await startFlow();
  const files = Array.from({ length: 90 }, (_, index) => small(index));
  const { upload_id } = await flow.send(...files, ['files', new File([longText(1_200)], 'big.txt')]);
  await flow.control(`/uploads/${upload_id}/pause`);
  const resting = await until(
    () => flow.progress(upload_id),
    ({ status }) => status !== 'running',
  );
  t.true(['paused', 'completed'].includes(resting.status));
  await flow.control(`/uploads/${upload_id}/resume`);
  const done = await until(
    () => flow.progress(upload_id),
    ({ status }) => status !== 'running',
  );
  t.like(done, { status: 'completed', progress: { settled: 91, percent: 100, by_status: { ready: 91 } } });
  const late = await flow.control(`/uploads/${upload_id}/cancel`);
  t.is(late.status, 200);
  t.is((await flow.progress(upload_id)).status, 'completed', 'finished contents are kept');
});

/** Waits until the observed value stays unchanged for a while. Only elapsed time can show this. */
async function untilUnchanged<Value>(observe: () => Promise<Value>): Promise<Value> {
  let last = { value: await observe(), since: performance.now() };
  await until(
    async () => {
      const value = await observe();
      if (value !== last.value) last = { value, since: performance.now() };
      return performance.now() - last.since;
    },
    (ageMs) => ageMs > 1_500,
  );
  return last.value;
}
