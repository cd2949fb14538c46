import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createCompressors } from '#providers/compressors/index.ts';
import { QueueBounds } from '#providers/compressors/queue-bounds.ts';

/** Threads at most, and one text that is about to start. */
const MAX_BEFORE = 5;
const MAX_WAITING = 200;
const MIB = 1024 * 1024;

function openCompressors(t: ExecutionContext) {
  const compressors = createCompressors({ chat: null, counting: { kind: 'estimate', charactersPerToken: 4 } });
  t.teardown(() => compressors.close());
  return compressors;
}

test('a text waits for its turn, not for all texts of another workspace', async (t) => {
  const compressors = openCompressors(t);
  const { signal } = new AbortController();
  const seen: string[] = [];
  const compress = async (workspaceId: string): Promise<void> => {
    const window = { text: 'The ferry leaves at noon. '.repeat(40), budgetTokens: 50, query: null, isWhole: true };
    await compressors.forStrategy('extractive').compress(window, { workspaceId, signal });
    seen.push(workspaceId);
  };
  const many = Array.from({ length: MAX_WAITING }, () => compress('a'));
  const few = [compress('b'), compress('c')];
  await Promise.all([...many, ...few]);
  // Each is among the first to start; how many others end before depends on how fast threads are.
  t.true(Math.max(seen.indexOf('b'), seen.indexOf('c')) < MAX_WAITING / 2, seen.join(''));
});

test('a workspace with too many waiting texts is refused, another one is served, and cancelled texts make room', async (t) => {
  const compressors = openCompressors(t);
  const controller = new AbortController();
  const work = (workspaceId: string) => ({ workspaceId, signal: controller.signal });
  const waiting = Array.from({ length: MAX_WAITING + MAX_BEFORE }, () => compressors.measure('text', work('a')));
  const outcomes = Promise.allSettled(waiting);
  const other = compressors.measure('a text of another workspace', work('b'));
  t.is((await other).tokens, 7);
  controller.abort(new Error('cancelled'));
  const refused = (await outcomes).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const full = refused.filter((error): error is AppError => error instanceof AppError);
  t.true(full.length > 0 && full.length <= MAX_BEFORE);
  t.like(full[0], { code: 'dependency_unavailable', retryAfterS: 2 });
  t.regex(full[0]?.message ?? '', /this workspace/);
  const { signal } = new AbortController();
  const again = Array.from({ length: MAX_WAITING }, () => compressors.measure('text', { workspaceId: 'a', signal }));
  t.is((await Promise.all(again)).length, MAX_WAITING);
});

test('bounds the bytes that wait, of a workspace and in total', (t) => {
  const bounds = new QueueBounds({ share: { tasks: 3, bytes: 10 * MIB }, total: { tasks: 4, bytes: 15 * MIB } });
  const leaving: (() => void)[] = [];
  const enter = (share: string, bytes: number): string => {
    const entered = bounds.enter(share, bytes);
    if (typeof entered === 'string') return entered;
    leaving.push(entered);
    return 'entered';
  };
  t.deepEqual([enter('a', 8 * MIB), enter('a', 3 * MIB), enter('a', MIB)], ['entered', 'share', 'entered']);
  t.deepEqual([enter('b', 9 * MIB), enter('b', 5 * MIB), enter('c', 2 * MIB)], ['total', 'entered', 'total']);
  // A task that leaves twice counts once.
  leaving[0]?.();
  leaving[0]?.();
  t.deepEqual([enter('c', 10 * MIB), enter('c', 9 * MIB), enter('a', 0)], ['total', 'entered', 'entered']);
  t.is(enter('d', 0), 'total', 'four tasks wait');
  leaving[2]?.();
  t.is(enter('d', 0), 'entered');
});

test('a text larger than the bound waits alone', (t) => {
  const limit = { tasks: 3, bytes: 10 };
  const bounds = new QueueBounds({ share: limit, total: limit });
  t.is(typeof bounds.enter('a', 20), 'function');
  t.is(bounds.enter('a', 1), 'share');
  t.is(bounds.enter('b', 1), 'total');
});
