import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { PageTurns } from '#api/http/response/page-turns.ts';
import { LARGE, PAGE_TURN_LIMITS } from './page-turn-limits.ts';

const KIB = 1024;
/** Pauses after pages, which are as long as those were read, are over by then. */
const AFTER_PAUSES_MS = 300;

/** Takes turns, and remembers of which lists the pages have begun. */
function readerOf(turns: PageTurns) {
  const begun: string[] = [];
  const take = async (name: string, caller = 'api-key/1') => {
    const signal = () => new AbortController().signal;
    const turn = await turns.take({ workspaceId: 'a', caller, name, limit: 100, signal });
    begun.push(name);
    return turn;
  };
  /** Reads a page and sends it. Returns what to call when the client has taken it. */
  const read = async (name: string, sizeBytes: number, caller?: string) => {
    using turn = await take(name, caller);
    return turn.written(sizeBytes);
  };
  return { begun, take, read };
}

test('a request that joins others, and a small page that ends, do not examine all that wait', async (t) => {
  let examined = 0;
  const counting = {
    ...PAGE_TURN_LIMITS,
    /** Read each time that a large page is examined. */
    get workspaceUnsentBytes() {
      examined += 1;
      return PAGE_TURN_LIMITS.workspaceUnsentBytes;
    },
  };
  const { take, read } = readerOf(new PageTurns(counting));
  await read('/small', KIB);
  const sent: (() => void)[] = [];
  for (let caller = 0; caller < 4; caller += 1) sent.push(await read('/large', LARGE, `slow ${caller}`));
  await delay(AFTER_PAUSES_MS);
  examined = 0;
  const waiting = Array.from({ length: 200 }, (_, caller) => take('/large', `${caller}`));
  t.is(examined, 200, 'each once');
  for (let page = 0; page < 20; page += 1) await read('/small', KIB);
  t.is(examined, 200, 'none for a small page');
  for (const taken of sent) taken();
  (await waiting[0])?.[Symbol.dispose]();
});

test('a large page that joins does not overtake one that waits for others to be read', async (t) => {
  const { begun, take, read } = readerOf(new PageTurns({ ...PAGE_TURN_LIMITS, readBytes: 2 * LARGE }));
  (await read('/large', 1.5 * LARGE))();
  (await read('/less', LARGE / 4))();
  await delay(AFTER_PAUSES_MS);
  begun.length = 0;
  const held = await take('/large');
  const waiting = [take('/large'), take('/less')];
  await new Promise(setImmediate);
  t.deepEqual(begun, ['/large'], 'there is room for the smaller one, but it came later');
  held[Symbol.dispose]();
  for (const turn of waiting) (await turn)[Symbol.dispose]();
  t.deepEqual(begun, ['/large', '/large', '/less']);
});
