import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { array, assert, asyncProperty, constantFrom, integer, string } from 'fast-check';
import type { ByteRange } from '#domain/blob-store.ts';
import { encodeCursor } from '#domain/cursor.ts';
import type { ContentText } from '#operations/contents/content-text.ts';
import type { InTurn } from '#api/mcp/read-in-turn.ts';
import { readTextPage } from '#api/mcp/text-page.ts';

const own: InTurn = (_asked, read) => read();
const part = { offset: 0, maxTokens: 10, signal: new AbortController().signal, inTurn: own };

/** A text that records which bytes of it are read. */
function textOf(text: string) {
  const bytes = Buffer.from(text);
  const ranges: ByteRange[] = [];
  const found: ContentText = {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    open: (range = { start: 0, end: bytes.length }) => {
      ranges.push(range);
      return Promise.resolve(Readable.from([bytes.subarray(range.start, range.end)], { objectMode: false }));
    },
  };
  return { ...found, ranges };
}

test('pages follow each other from any offset to the end, and none begins within a character', async (t) => {
  const piece = constantFrom('a', ' ', '\n', 'ü', '花', '🪨', '"', '\ufeff');
  const texts = array(string({ unit: piece, maxLength: 20 }), { maxLength: 10 }).map((words) => words.join(' '));
  await assert(
    asyncProperty(
      texts,
      integer({ min: 0, max: 250 }),
      integer({ min: 4, max: 40 }),
      async (text, offset, maxTokens) => {
        const stored = textOf(text);
        let page = await readTextPage(stored, { ...part, offset, maxTokens });
        const isWithin = /[\udc00-\udfff]/.test(text.charAt(offset));
        const start = Math.min(text.length, isWithin ? offset - 1 : offset);
        let read = page.text;
        t.is(page.offset, start);
        while (page.nextCursor !== null) {
          page = await readTextPage(stored, { ...part, cursor: page.nextCursor, maxTokens });
          t.true(page.text !== '' && page.offset === start + read.length);
          read += page.text;
        }
        t.is(read, text.slice(start));
      },
    ),
  );
});

test('a page reads the bytes that it shows and few more, wherever a cursor points', async (t) => {
  const stored = textOf('花'.repeat(100_000));
  let { nextCursor } = await readTextPage(stored, { ...part, offset: 99_000 });
  for (let pages = 0; pages < 5 && nextCursor !== null; pages += 1) {
    ({ nextCursor } = await readTextPage(stored, { ...part, cursor: nextCursor }));
  }
  const [toOffset, ...others] = stored.ranges;
  t.deepEqual(toOffset, { start: 0, end: 297_004 });
  t.is(others.length, 6);
  t.true(others.every(({ start, end }) => start >= 297_000 && end - start === 34));
});

test('a cursor of another text, a made-up one and one of a list are told apart', async (t) => {
  const stored = textOf('花崗岩 '.repeat(100));
  const cursorTo = (byte: number, character: number) =>
    encodeCursor({ list: 'content-text', filters: {} }, [byte, character, stored.sha256.slice(0, 16)]);
  const failing = (cursor: string) => t.throwsAsync(readTextPage(stored, { ...part, cursor }));
  const { nextCursor } = await readTextPage(textOf('granite '.repeat(100)), part);
  const replaced = await failing(nextCursor ?? '');
  t.like(replaced, { code: 'conflict' });
  t.regex(replaced.message, /another text.*Start again without it/);
  const wrong: [number, number][] = [
    [1, 1],
    [1000, 400],
    [1e15, 5e14],
    [-3, -1],
    [3, 9],
    [9, 1],
    [0.5, 0.5],
  ];
  for (const [byte, character] of wrong) {
    t.like(await failing(cursorTo(byte, character)), {
      code: 'validation_failed',
      issues: [{ loc: ['query', 'cursor'], type: 'cursor_invalid' }],
    });
  }
  t.is((await readTextPage(stored, { ...part, cursor: cursorTo(3, 1) })).text.slice(0, 2), '崗岩');
  const others = ['x', encodeCursor({ list: 'contents', filters: {} }, [1, 'x'])];
  for (const cursor of others) t.like(await failing(cursor), { code: 'validation_failed' });
});

const piece = Buffer.from('x'.repeat(64 * 1024));

async function* endless() {
  for (;;) {
    await setImmediate();
    yield piece;
  }
}

test('an offset far within a text is looked for in turn, and looking ends when the client leaves', async (t) => {
  let turns = 0;
  const inTurn: InTurn = (asked, read) => {
    turns += 1;
    t.deepEqual(asked, { limit: 1, isScan: true });
    return read();
  };
  const leaving = new AbortController();
  const opened: Readable[] = [];
  const text: ContentText = {
    sha256: 'x',
    open: () => {
      const stream = Readable.from(endless(), { objectMode: false });
      opened.push(stream);
      return Promise.resolve(stream);
    },
  };
  const reading = readTextPage(text, { ...part, offset: 1e14, signal: leaving.signal, inTurn });
  setTimeout(() => leaving.abort(), 20);
  await t.throwsAsync(reading, { name: 'AbortError' });
  t.is(turns, 1);
  t.true(opened.every(({ destroyed }) => destroyed));
});
