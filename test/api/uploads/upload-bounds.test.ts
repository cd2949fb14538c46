import { connect } from 'node:net';
import test from 'ava';
import { UploadSlots } from '#api/http/request/upload-slots.ts';
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

test('so many uploads of a caller, and of all, are received at a time; others wait, those of quiet callers first', async (t) => {
  const slots = new UploadSlots({ perCaller: 2, perProcess: 3, maxWaitMs: 60_000 });
  const started: string[] = [];
  const open = new Map<string, Disposable>();
  const never = new AbortController().signal;
  const take = async (name: string, signal = never) => {
    open.set(name, await slots.take(name.split('.')[0] ?? '', signal));
    started.push(name);
  };
  const turn = () => new Promise((resolve) => void setImmediate(resolve));
  const leaving = new AbortController();
  const all = ['ada.1', 'ada.2', 'ada.3', 'bob.1', 'bob.2', 'eve.1'].map((name) => take(name));
  const gone = t.throwsAsync(take('ada.4', leaving.signal), { message: 'the client left' });
  await turn();
  t.deepEqual(started, ['ada.1', 'ada.2', 'bob.1']);
  leaving.abort(new Error('the client left'));
  await gone;
  for (const name of ['ada.1', 'bob.1', 'ada.2', 'eve.1']) {
    open.get(name)?.[Symbol.dispose]();
    await turn();
  }
  t.deepEqual(started.slice(3, 5), ['eve.1', 'bob.2']);
  await Promise.all(all);
  t.is(started.length, 6);
});

test('an upload that gets no slot in time is told to come again', async (t) => {
  const slots = new UploadSlots({ perCaller: 1, perProcess: 1, maxWaitMs: 20 });
  const never = new AbortController().signal;
  const slot = await slots.take('ada', never);
  const refused = await t.throwsAsync(slots.take('bob', never), { instanceOf: AppError });
  t.like(refused, { code: 'rate_limited', retryAfterS: 5 });
  slot[Symbol.dispose]();
  await t.notThrowsAsync(slots.take('bob', never));
});
