import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import type { InTurn } from '#api/mcp/read-in-turn.ts';
import { readTextPage } from '#api/mcp/text-page.ts';

const piece = 'x'.repeat(64 * 1024);

async function* endless() {
  for (;;) {
    await setImmediate();
    yield piece;
  }
}

test('a part far within a text is read in turn, and reading it ends when the client leaves', async (t) => {
  let turns = 0;
  const inTurn: InTurn = (asked, read) => {
    turns += 1;
    t.deepEqual(asked, { limit: 1, isScan: true });
    return read();
  };
  const leaving = new AbortController();
  const opened: Readable[] = [];
  const open = () => {
    const stream = Readable.from(endless(), { objectMode: false });
    opened.push(stream);
    return Promise.resolve(stream);
  };
  const part = { maxTokens: 10, signal: leaving.signal, inTurn };
  const near = await readTextPage(open, { ...part, offset: 100 });
  t.is(near.nextOffset, 100 + near.text.length);
  t.is(turns, 0);
  const reading = readTextPage(open, { ...part, offset: 1e14 });
  setTimeout(() => leaving.abort(), 20);
  await t.throwsAsync(reading, { name: 'AbortError' });
  t.is(turns, 1);
  t.true(opened.every(({ destroyed }) => destroyed));
});
