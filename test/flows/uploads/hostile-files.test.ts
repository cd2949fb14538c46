import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { eventually } from '#test/support/harness/eventually.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { hostileCorpus } from '#test/support/fixtures/hostile/corpus.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

/** Most bytes of the corpus in one request. */
const BATCH_BYTES = 40 * 1024 * 1024;

test('every hostile file is rejected with a message, or ends ready or failed with one, and causes no request', async (t) => {
  t.timeout(1_800_000);
  let requests = 0;
  const server = createServer((_, response) => response.end(String((requests += 1)))).listen(0, DOWNLOAD_ADDRESS);
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  // The address of a TCP server is an AddressInfo.
  const files = hostileCorpus(`http://${DOWNLOAD_ADDRESS}:${(server.address() as AddressInfo).port}`);
  const flow = await startFlow();
  for (const batch of batchesOf(files)) {
    const { uploads, errors } = await flow.upload(
      ...batch.map(({ name, bytes }) => ['files', new File([new Uint8Array(bytes)], name)] as const),
    );
    t.is(uploads.length + errors.length, batch.length);
    for (const { name, message } of errors) t.true(message.length > 10, `${name}: ${message}`);
    for (const { content_id, name } of uploads) {
      // Decompression bombs run until they reach their limit, some one after another.
      const { status, status_message } = await eventually(
        `${name} has ended`,
        async () => {
          const content = await flow.content(content_id);
          return ['ready', 'failed'].includes(content.status) && content;
        },
        { timeoutMs: 600_000 },
      );
      t.true(status === 'ready' || (status_message ?? '').length > 10, `${name}: ${status} ${status_message}`);
      t.notRegex(status_message ?? '', /crashed|unforeseen/i, name);
    }
  }
  t.is(requests, 0);
});

function batchesOf<Item extends { bytes: Buffer }>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    if (bytes + item.bytes.length > BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(item);
    bytes += item.bytes.length;
  }
  return batches;
}
