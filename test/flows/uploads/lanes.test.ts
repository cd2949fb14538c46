import { Client, Connection } from '@temporalio/client';
import test from 'ava';
import { sampleText } from '#bench/sample-texts.ts';
import { startFlow, idsOf, type Entries, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';

/** A table that takes seconds to read. */
const SLOW_PAGE = `<!doctype html><table>${'<tr><td>one</td><td>two</td></tr>'.repeat(80_000)}</table>`;

function texts(count: number, bytes: number): Entries {
  return Array.from({ length: count }, (_, number) => [
    'files',
    new File([sampleText(number, bytes)], `bulk-${number}.txt`),
  ]);
}

/** Counts the contents of an upload that have not ended. */
async function unfinished(flow: Flow, uploadId: string | null): Promise<number> {
  const { progress } = await flow.progress(uploadId);
  return progress.total - progress.settled;
}

async function cancelUpload(flow: Flow, uploadId: string | null): Promise<void> {
  await flow.control(`/uploads/${uploadId}/cancel`);
}

for (const whose of ['the same', 'another'] as const) {
  test(`a single text is searchable while most of a bulk upload of ${whose} workspace still waits`, async (t) => {
    const bulk = await startFlow({ embedder: 'preferred' });
    const flow = whose === 'another' ? await startFlow() : bulk;
    // Minutes of work for the default embedder.
    const { upload_id: bulkId } = await bulk.send(...texts(400, 6_000));
    const [id] = idsOf(await flow.send(['content', 'A note about the quillon of a sword.']));
    await flow.reach(id, 'ready');
    t.is((await flow.search('quillon'))[0]?.content_id, id);
    t.true((await unfinished(bulk, bulkId)) > 200);
    await cancelUpload(bulk, bulkId);
  });
}

test('the contents of one upload become searchable one after the other', async (t) => {
  const flow = await startFlow({ embedder: 'preferred' });
  const { upload_id } = await flow.send(...texts(60, 4_000));
  const seen = new Set<number>();
  await until(
    async () => {
      const { progress } = await flow.progress(upload_id);
      seen.add(progress.settled);
      return progress;
    },
    ({ settled, total }) => settled === total,
    // The sentence model is shared with other tests.
    150_000,
  );
  t.true([...seen].filter((settled) => settled > 0 && settled < 60).length >= 3, [...seen].join(', '));
});

test.serial('a document that takes long to read holds up no other document of its upload', async (t) => {
  const flow = await startFlow();
  const slow = ['files', new File([SLOW_PAGE], 'slow.html')] as const;
  const { upload_id, uploads } = await flow.send(slow, ...texts(30, 200));
  const slowId = uploads.find(({ name }) => name === 'slow.html')?.content_id ?? '';
  await until(
    () => flow.progress(upload_id),
    ({ progress }) => (progress.by_status['ready'] ?? 0) >= 25,
  );
  t.not((await flow.content(slowId)).status, 'ready');
  await flow.reach(slowId, 'ready');
});

test('an upload that is small but slow is left to the ordinary way, and completes', async (t) => {
  const flow = await startFlow();
  // Small enough for the express way by its bytes.
  const page = `<!doctype html>${'<p>A paragraph of a page.</p>'.repeat(8_000)}`;
  const [id] = idsOf(await flow.send(['files', new File([page], 'page.html')]));
  t.is((await flow.reach(id, 'ready')).status, 'ready');
});

test('the list of workflows names the collection and the first file of an upload', async (t) => {
  const flow = await startFlow();
  const { temporal } = testStack();
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const { workflow } = new Client({ connection, namespace: temporal.namespace });
    const { upload_id } = await flow.upload(...texts(2, 100));
    const described = await workflow.getHandle(`ingest-upload/${upload_id}`).describe();
    t.deepEqual(described.memo, { collection: 'flow', first_content: 'bulk-0.txt' });
    t.is(await described.staticSummary(), 'Ingest bulk-0.txt and 1 more into flow');
  } finally {
    await connection.close();
  }
});
