import test from 'ava';
import { eventually } from '#test/support/harness/eventually.ts';
import { idsOf, startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { worker } = testStack().processes;

test.afterEach.always('the worker runs again', () => worker.start());

/** Large enough to get a batch of its own, but quick to ingest. */
const large = (sentence: string) =>
  ['files', new File([`${sentence}\n`, ' '.repeat(6 * 1024 * 1024)], 'large.txt')] as const;

test.serial(
  'paused contents do not block the rest of their upload, no matter how many batches they are in',
  async (t) => {
    const flow = await startFlow();
    await worker.stop();
    const upload = await flow.send(
      ...Array.from({ length: 6 }, (_, index) => large(`The barge number ${index} is moored.`)),
    );
    const ids = idsOf(upload);
    const paused = ids.slice(0, 5);
    for (const id of paused) t.is((await flow.control(`/contents/${id}/pause`)).status, 200);
    await worker.start();
    await flow.reach(ids[5] ?? '', 'ready');
    t.like(await flow.progress(upload.upload_id), {
      status: 'paused',
      progress: { by_status: { paused: 5, ready: 1 } },
    });

    for (const id of paused) t.is((await flow.control(`/contents/${id}/resume`)).status, 200);
    await eventually(
      'the upload is complete',
      async () => (await flow.progress(upload.upload_id)).status === 'completed',
    );
    t.is((await flow.search('barge moored')).length, 6);
  },
);
