import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { PageTurns, type PageTurn } from '#api/http/response/page-turns.ts';
import { LARGE, PAGE_TURN_LIMITS } from './page-turn-limits.ts';

const KIB = 1024;
/** A client that stays. */
const stays = () => new AbortController().signal;

/** Takes turns of the list `messages`, and remembers which have begun. */
function readerOf(turns: PageTurns, signal: () => AbortSignal = stays, caller = 'api-key/1') {
  const begun: string[] = [];
  const take = async (workspaceId: string, limit = 100): Promise<PageTurn> => {
    const turn = await turns.take({ workspaceId, caller, name: '/messages', limit, signal });
    begun.push(workspaceId);
    return turn;
  };
  /** Reads a page and sends it. */
  const read = async (workspaceId: string, sizeBytes: number, limit?: number) => {
    using turn = await take(workspaceId, limit);
    turn.written(sizeBytes)();
  };
  return { begun, take, read };
}

/** Lets everything go on that does not wait for a timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('large pages of a workspace are read one after the other; another workspace does not wait for them', async (t) => {
  const turns = new PageTurns(PAGE_TURN_LIMITS);
  const { begun, take, read } = readerOf(turns);
  await read('a', LARGE);
  const [first, second] = [take('a'), take('a')];
  const held = await first;
  await read('b', LARGE);
  await settled();
  t.deepEqual(begun, ['a', 'a', 'b']);
  held[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  t.deepEqual(begun, ['a', 'a', 'b', 'a']);
});

test('a page that is found by reading many rows counts as a large one, and says nothing about the pages of the list', async (t) => {
  const turns = new PageTurns(PAGE_TURN_LIMITS);
  const begun: string[] = [];
  const take = async (isScan: boolean) => {
    const asked = { workspaceId: 'a', caller: 'api-key/1', name: '/contents', limit: 1, signal: stays };
    const turn = await turns.take({ ...asked, isScan });
    begun.push(isScan ? 'scan' : 'page');
    return turn;
  };
  const scan = async () => {
    using turn = await take(true);
    turn.written(KIB)();
  };
  await scan();
  const [held, waiting] = [await take(true), take(true)];
  const pages = [take(false), take(false)];
  await settled();
  t.deepEqual(begun, ['scan', 'scan']);
  held[Symbol.dispose]();
  (await waiting)[Symbol.dispose]();
  (await pages[0])?.[Symbol.dispose]();
  t.deepEqual(begun.slice(0, 4), ['scan', 'scan', 'scan', 'page']);
});

test('a list whose size is not known is read by one request first, beside other lists', async (t) => {
  const turns = new PageTurns(PAGE_TURN_LIMITS);
  const { begun, take } = readerOf(turns);
  const others = Array.from({ length: 2 }, (_, number) =>
    turns.take({ workspaceId: 'a', caller: 'api-key/1', name: `/${number}`, limit: 100, signal: stays }),
  );
  const all = Array.from({ length: 6 }, () => take('a'));
  await Promise.all(others);
  await settled();
  t.is(begun.length, 1);
  const first = await all[0];
  first?.written(10 * KIB)();
  first?.[Symbol.dispose]();
  await Promise.all(all);
  t.is(begun.length, 6);
});

test('small pages never wait', async (t) => {
  const { begun, take, read } = readerOf(new PageTurns(PAGE_TURN_LIMITS));
  await read('a', 10 * KIB);
  const all = Array.from({ length: 1_000 }, () => take('a'));
  await settled();
  t.is(begun.length, 1_001);
  for (const turn of all) (await turn)[Symbol.dispose]();
});

test('what clients do not take holds back further pages of their workspace', async (t) => {
  const { begun, take, read } = readerOf(new PageTurns(PAGE_TURN_LIMITS));
  const sent: (() => void)[] = [];
  await read('a', LARGE);
  for (let page = 0; page < 2; page += 1) {
    using turn = await take('a');
    sent.push(turn.written(LARGE));
  }
  const third = take('a');
  await read('b', LARGE);
  // Longer than the pauses after the pages before.
  await delay(20);
  t.deepEqual(begun, ['a', 'a', 'a', 'b']);
  sent[0]?.();
  (await third)[Symbol.dispose]();
  t.deepEqual(begun, ['a', 'a', 'a', 'b', 'a']);
});

test('a page for which too many or too long wait is refused with a time to come again', async (t) => {
  const turns = new PageTurns({ ...PAGE_TURN_LIMITS, waiting: 1, maxWaitMs: 50 });
  const { take, read } = readerOf(turns);
  await read('a', LARGE);
  const held = await take('a');
  t.teardown(() => held[Symbol.dispose]());
  const waiting = take('a');
  await t.throwsAsync(take('a'), { code: 'rate_limited', message: /Too many large pages/ });
  await t.throwsAsync(waiting, { code: 'rate_limited' });
});

test('a client that leaves gives up its place', async (t) => {
  const turns = new PageTurns({ ...PAGE_TURN_LIMITS, waiting: 1 });
  const { read } = readerOf(turns);
  await read('a', LARGE);
  const leaving = new AbortController();
  const { take } = readerOf(turns, () => leaving.signal);
  const held = await take('a');
  const left = take('a');
  leaving.abort();
  await t.throwsAsync(left, { name: 'ClientClosedRequest' });
  const next = readerOf(turns).take('a');
  held[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  t.pass();
});

test('an error, or a small page with a smaller limit, says nothing about large pages', async (t) => {
  const turns = new PageTurns(PAGE_TURN_LIMITS);
  const { begun, take, read } = readerOf(turns);
  // Neither has a size: the handler of the first failed, that of the second streams.
  for (let page = 0; page < 2; page += 1) (await take('a', 1_000))[Symbol.dispose]();
  await read('a', 100, 1);
  begun.length = 0;
  const all = Array.from({ length: 20 }, () => take('a', 1_000));
  const small = take('a', 1);
  (await small)[Symbol.dispose]();
  const first = await all[0];
  await settled();
  t.is(begun.length, 2, 'one large page, and the small one, which passed those that wait');
  first?.written(LARGE)();
  first?.[Symbol.dispose]();
  for (const turn of all) (await turn)[Symbol.dispose]();
  t.is(begun.length, 21);
});

test('small pages that have become large are read at once by a few requests only', async (t) => {
  const { begun, take, read } = readerOf(new PageTurns({ ...PAGE_TURN_LIMITS, smallPages: 4 }));
  await read('a', 100);
  begun.length = 0;
  const all = Array.from({ length: 30 }, () => take('a'));
  const first = await all[0];
  await settled();
  t.is(begun.length, 4);
  first?.written(LARGE)();
  first?.[Symbol.dispose]();
  await settled();
  t.is(begun.length, 5, 'now one large page, beside those that had begun');
  for (const turn of all) (await turn)[Symbol.dispose]();
});

test('a caller that does not take its pages holds back itself only', async (t) => {
  const turns = new PageTurns({ ...PAGE_TURN_LIMITS, waiting: 2 });
  const slow = readerOf(turns);
  const sent: (() => void)[] = [];
  for (let page = 0; page < 2; page += 1) {
    using turn = await slow.take('a');
    sent.push(turn.written(LARGE));
  }
  const held = [slow.take('a'), slow.take('a')];
  const other = readerOf(turns, stays, 'api-key/2');
  await other.read('a', LARGE);
  (await turns.take({ workspaceId: 'a', caller: 'api-key/3', name: '/contents', limit: 100, signal: stays }))[
    Symbol.dispose
  ]();
  t.is(slow.begun.length, 2);
  for (const take of sent) take();
  for (const turn of held) (await turn)[Symbol.dispose]();
  t.is(slow.begun.length, 4);
});

test('callers of one workspace that do not take their pages hold back the large pages of that workspace only', async (t) => {
  const turns = new PageTurns(PAGE_TURN_LIMITS);
  const sent: (() => void)[] = [];
  for (const caller of ['1', '2', '3', '4']) {
    using turn = await readerOf(turns, stays, caller).take('a');
    sent.push(turn.written(LARGE));
  }
  const next = readerOf(turns, stays, '5');
  const held = next.take('a');
  await readerOf(turns, stays, '5').read('b', LARGE);
  await delay(300);
  t.deepEqual(next.begun, [], 'it would be the fifth page in memory');
  sent[0]?.();
  (await held)[Symbol.dispose]();
  t.deepEqual(next.begun, ['a']);
});

test('a client that left before its page waits gives up its place', async (t) => {
  const turns = new PageTurns(PAGE_TURN_LIMITS);
  const { take, read } = readerOf(turns);
  await read('a', LARGE);
  const held = await take('a');
  const left = readerOf(turns, () => AbortSignal.abort()).take('a');
  await t.throwsAsync(left, { name: 'ClientClosedRequest' });
  held[Symbol.dispose]();
});

test('requests that give up at the same moment do not start one another', async (t) => {
  const turns = new PageTurns(PAGE_TURN_LIMITS);
  const client = new AbortController();
  const take = (name: string, isScan = false, signal: () => AbortSignal = stays) =>
    turns.take({ workspaceId: 'a', caller: 'api-key/1', name, limit: 100, isScan, signal });
  const held = await take('/memories');
  const batch = [take('/contents', true, () => client.signal), take('/collections', false, () => client.signal)];
  client.abort(new Error('the client left'));
  t.deepEqual(
    (await Promise.allSettled(batch)).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  held[Symbol.dispose]();
  // Waits for ever if its list counts as one that is being read.
  (await take('/collections'))[Symbol.dispose]();
  t.pass();
});
