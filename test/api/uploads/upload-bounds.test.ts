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

test('a caller, and all callers together, may send so many uploads at the same time', (t) => {
  const slots = new UploadSlots({ perCaller: 2, perProcess: 3 });
  const [first] = [slots.take('ada'), slots.take('ada')];
  t.throws(() => slots.take('ada'), { instanceOf: AppError, message: /At most 2 uploads of one key or user/ });
  slots.take('bob');
  const full = t.throws(() => slots.take('eve'), { instanceOf: AppError });
  t.like(full, { code: 'dependency_unavailable', retryAfterS: 1 });
  first?.[Symbol.dispose]();
  t.notThrows(() => slots.take('ada'));
  t.throws(() => slots.take('ada'), { instanceOf: AppError });
});
