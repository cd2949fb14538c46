import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { eventStreamReply, type ServerSentEvent } from '#api/http/response/server-sent-events.ts';

const noFailure = () => [];

async function streamOf(source: AsyncGenerator<ServerSentEvent>) {
  const { content } = await eventStreamReply(source, () => [{ event: 'error', data: '{}' }]);
  if (content.kind !== 'stream') throw new Error('the reply is no stream');
  return content.stream;
}

test('a failure before the first event is thrown, a later one is an event', async (t) => {
  const failing = async function* (before: readonly ServerSentEvent[]): AsyncGenerator<ServerSentEvent> {
    yield* before;
    throw new Error('no search');
  };
  await t.throwsAsync(eventStreamReply(failing([]), noFailure), { message: 'no search' });
  const stream = await streamOf(failing([{ data: 'one' }]));
  t.is((await stream.toArray()).join(''), 'data: one\n\nevent: error\ndata: {}\n\n');
});

test('a stream whose first event takes long begins with a comment', async (t) => {
  const isRead = Promise.withResolvers<void>();
  const stream = await streamOf(
    (async function* () {
      await isRead.promise;
      yield { data: 'one' };
    })(),
  );
  const pieces: string[] = [];
  for await (const piece of stream) {
    pieces.push(String(piece));
    isRead.resolve();
  }
  t.deepEqual(pieces, [':\n\n', 'data: one\n\n']);
});

test('a stream that is closed ends its source, also before anybody has read it', async (t) => {
  for (const isRead of [true, false]) {
    const ended = Promise.withResolvers<void>();
    const stream = await streamOf(
      (async function* () {
        try {
          for (;;) {
            yield { data: 'one' };
            await delay(1);
          }
        } finally {
          ended.resolve();
        }
      })(),
    );
    if (isRead) await stream[Symbol.asyncIterator]().next();
    stream.destroy();
    await ended.promise;
  }
  t.pass();
});
