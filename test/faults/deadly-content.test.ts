import test from 'ava';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { pdf } from '#test/support/fixtures/documents.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();
const { worker } = stack.processes;

test.afterEach.always('the worker runs again', () => worker.start());

/** Takes long enough to read that the test can observe the reading. */
function longPdf(): File {
  const page = Array.from({ length: 40 }, (_, line) => ({
    text: `Line ${line} of a long report`,
    size: 9,
    y: 800 - line * 18,
  }));
  return new File([new Uint8Array(pdf(Array.from({ length: 1_500 }, () => page)))], 'deadly.pdf');
}

test.serial(
  'a content that crashes the worker twice fails, and the other contents of the batch become ready',
  async (t) => {
    const flow = await startFlow();
    const behind = openBehindTheApi(stack);
    t.teardown(() => behind.close());
    const upload = await flow.send(
      ['files', new File(['The first neighbour grows barley.'], 'before.txt')],
      ['files', longPdf()],
      ['files', new File(['The other neighbour grows rye.'], 'after.txt')],
    );
    const idOf = (name: string) => upload.uploads.find((item) => item.name === name)?.content_id ?? '';
    // No document can crash the worker itself, because documents are read in child processes. Therefore the test kills the worker
    // whenever this content is being read.
    for (const attempt of [1, 2]) {
      await eventually(
        `the content is read, attempt ${attempt}`,
        async () => {
          const runs = await behind.runsOf(upload.upload_id ?? '');
          return runs.some(
            (run) => run.content_id === idOf('deadly.pdf') && run.stage === 'reading' && run.dead_attempts === attempt,
          );
        },
        { everyMs: 5 },
      );
      await worker.signal('SIGKILL');
      await worker.start();
    }
    const failed = await eventually('the content failed', async () => {
      const content = await flow.content(idOf('deadly.pdf'));
      return content.status === 'failed' ? content : null;
    });
    t.regex(failed.status_message ?? '', /worker died twice while reading/);
    for (const name of ['before.txt', 'after.txt']) {
      await eventually(`${name} is ready`, async () => (await flow.content(idOf(name))).status === 'ready');
    }
    t.is((await flow.progress(upload.upload_id)).status, 'completed_with_errors');
    t.like(
      (await behind.runsOf(upload.upload_id ?? '')).find((run) => run.content_id === idOf('deadly.pdf')),
      { failure_code: 'repeated_crash' },
    );

    const retried = await flow.control(`/contents/${idOf('deadly.pdf')}/retry`);
    t.is(retried.status, 200);
    await eventually(
      'it is ready once the worker survives',
      async () => (await flow.content(idOf('deadly.pdf'))).status === 'ready',
    );
  },
);
