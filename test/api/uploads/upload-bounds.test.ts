import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { createPartSink, KeptHeads, type PartSink } from '#api/http/multipart/part-sink.ts';
import { ReceivingSlots } from '#api/http/request/receiving-slots.ts';
import { AppError } from '#domain/app-error.ts';
import { RAW_COLLECTION, RAW_END, rawPart, rawUpload, startUploadReceiver } from './upload-receiver.ts';

const FILE_TYPE = 'Content-Type: text/plain';

test('a body that arrives a byte at a time is ended with 408, and what it sent is reported as stored or removed', async (t) => {
  await using receiver = await startUploadReceiver({}, { bytes: 2_000, perMs: 300 });
  const head = rawUpload(
    RAW_COLLECTION + rawPart('name="file"; filename="slow"', 'x'.repeat(100_000), FILE_TYPE) + RAW_END,
  );
  const socket = connect(receiver.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
  const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.write(head.subarray(0, 600));
  const drip = setInterval(() => socket.write('x'), 20);
  await answered;
  clearInterval(drip);
  socket.destroy();
  t.regex(answer, /^HTTP\/1\.1 408 /);
  t.regex(answer, /too slowly: less than 2000 bytes in 0\.3 s/);
  t.deepEqual(await receiver.temporaryFiles(), []);
});

test('so many uploads of a workspace, and of all, are received at a time; others wait, those of quiet workspaces first', async (t) => {
  const slots = new ReceivingSlots({ what: 'uploads', perWorkspace: 2, perProcess: 4, maxWaitMs: 60_000 });
  const started: string[] = [];
  const open = new Map<string, Disposable>();
  const never = new AbortController().signal;
  const take = async (name: string, signal = never) => {
    open.set(name, await slots.take(name.split('.')[0] ?? '', signal));
    started.push(name);
  };
  const turn = () => new Promise((resolve) => void setImmediate(resolve));
  const leaving = new AbortController();
  const all = ['ada.1', 'ada.2', 'ada.3', 'bob.1', 'bob.2', 'eve.1', 'kim.1'].map((name) => take(name));
  const gone = t.throwsAsync(take('ada.4', leaving.signal), { name: 'ClientClosedRequest' });
  await turn();
  t.deepEqual(started, ['ada.1', 'ada.2', 'bob.1', 'eve.1']);
  leaving.abort();
  await gone;
  for (const name of ['ada.1', 'bob.1', 'ada.2', 'eve.1', 'kim.1']) {
    open.get(name)?.[Symbol.dispose]();
    await turn();
  }
  t.deepEqual(started.slice(4, 6), ['kim.1', 'bob.2']);
  await Promise.all(all);
  t.is(started.length, 7);
});

test('a few workspaces with many uploads leave places to those that come later', async (t) => {
  const slots = new ReceivingSlots({ what: 'uploads', perWorkspace: 32, perProcess: 64, maxWaitMs: 60_000 });
  const never = new AbortController().signal;
  const started = { ada: 0, bob: 0, eve: 0 };
  const open: Disposable[] = [];
  const take = async (workspaceId: keyof typeof started) => {
    open.push(await slots.take(workspaceId, never));
    started[workspaceId] += 1;
  };
  const turn = () => new Promise((resolve) => void setImmediate(resolve));
  const all: Promise<void>[] = [];
  for (const workspaceId of ['ada', 'bob', 'eve'] as const) {
    for (let number = 0; number < 40; number += 1) all.push(take(workspaceId));
    await turn();
  }
  t.deepEqual(started, { ada: 32, bob: 16, eve: 8 });
  while (started.ada + started.bob + started.eve < 120) {
    open.pop()?.[Symbol.dispose]();
    await turn();
  }
  await Promise.all(all);
});

test('an upload that gets no slot in time is told to come again', async (t) => {
  const slots = new ReceivingSlots({ what: 'uploads', perWorkspace: 1, perProcess: 1, maxWaitMs: 20 });
  const never = new AbortController().signal;
  const slot = await slots.take('ada', never);
  const refused = await t.throwsAsync(slots.take('bob', never), { instanceOf: AppError });
  t.like(refused, { code: 'rate_limited', retryAfterS: 5 });
  slot[Symbol.dispose]();
  await t.notThrowsAsync(slots.take('bob', never));
});

test('a slot that becomes free as a waiting client leaves is not given to it', async (t) => {
  const slots = new ReceivingSlots({ what: 'uploads', perWorkspace: 1, perProcess: 1, maxWaitMs: 1_000 });
  const never = new AbortController().signal;
  const slot = await slots.take('ada', never);
  const leaving = new AbortController();
  const gone = t.throwsAsync(slots.take('bob', leaving.signal), { name: 'ClientClosedRequest' });
  leaving.abort();
  slot[Symbol.dispose]();
  await gone;
  await t.notThrowsAsync(slots.take('eve', never));
});

test.serial(
  'the parts of an upload that are stored hold a few megabytes of their bytes, however many they are',
  async (t) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: unknown = runInNewContext('gc');
    /** What is left after several collections: buffers are freed some time after the objects that had them. */
    const heldBytes = async () => {
      for (let round = 0; round < 10; round += 1) {
        if (typeof collectGarbage === 'function') collectGarbage();
        await new Promise((resolve) => void setImmediate(resolve));
      }
      return process.memoryUsage().arrayBuffers;
    };
    const store = async (bytes: AsyncIterable<Uint8Array>) => {
      let sizeBytes = 0;
      for await (const piece of bytes) sizeBytes += piece.length;
      return { sha256: 'x', sizeBytes, bytes: null, path: async () => '', [Symbol.asyncDispose]: async () => {} };
    };
    const heads = new KeptHeads();
    const before = await heldBytes();
    const sinks: PartSink[] = [];
    for (let number = 0; number < 400; number += 1) {
      const sink = createPartSink(store, heads);
      sinks.push(sink);
      sink.stream.end(Buffer.alloc(64 * 1024));
      await sink.outcome;
    }
    const held = (await heldBytes()) - before;
    t.is(sinks.length, 400, 'they live as long as the request');
    t.true(held < 8 * 1024 * 1024, `${held} bytes`);
  },
);
