import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createRestartWatch } from '#store/weaviate/restart-watch.ts';
import { WeaviateResponseError } from '#store/weaviate/weaviate-errors.ts';

type Node = { name: string; initialLastAppliedIndex?: number; raft?: { term: string; lastLogIndex: string } };

const SLOW_MS = 600;

/** Statistics as Weaviate 1.38 returns them: three nodes, of which the second was started again after a tenant was created. */
function statistics(log: string, second: Partial<Node> = {}): { statistics: Node[] } {
  const raft = { term: '2', lastLogIndex: log };
  return {
    statistics: [
      { name: 'one', raft },
      { name: 'two', initialLastAppliedIndex: 4, raft, ...second },
      { name: 'three', raft },
    ],
  };
}

/** A watch that reads these answers one after the other; the last one stays. */
function watchOf(...answers: (object | Error)[]) {
  let place = 0;
  const watch = createRestartWatch(async () => {
    const answer = answers[Math.min(place, answers.length - 1)];
    place += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { ...watch, reads: () => place };
}

test('quick work is not looked at, however often it is done', async (t) => {
  const watch = watchOf(statistics('6'), statistics('7'));
  for (let round = 0; round < 2; round += 1) {
    const mayHaveRestarted = await watch.suspecting();
    t.false(await mayHaveRestarted());
  }
  t.is(watch.reads(), 1);
});

test('slow work is suspect when the log of the cluster has moved, unless nodes would say that they were started', async (t) => {
  const slowly = async (...answers: (object | Error)[]) => {
    const mayHaveRestarted = await watchOf(...answers).suspecting();
    await delay(SLOW_MS);
    return mayHaveRestarted();
  };
  const same = statistics('6');
  const elected = { statistics: same.statistics.map((node) => ({ ...node, raft: { term: '3', lastLogIndex: '6' } })) };
  t.deepEqual(
    await Promise.all([
      slowly(same),
      slowly(same, statistics('7')),
      slowly(same, elected),
      slowly(new Error('connect ECONNREFUSED'), same),
      slowly(new WeaviateResponseError(403, 'forbidden')),
      slowly({ error: 'not found' }),
      slowly(statistics('90'), statistics('91')),
      slowly(statistics('90'), statistics('92', { initialLastAppliedIndex: 88 })),
    ]),
    [false, true, true, true, false, false, false, true],
  );
});

test('a node that is gone, came or was started again is noticed, but no new tenant', async (t) => {
  const observed = async (...answers: (object | Error)[]) => {
    const haveNodesEnded = await watchOf(...answers).observing();
    return haveNodesEnded();
  };
  const all = statistics('6');
  const [one, , three] = all.statistics;
  const withoutTwo = { statistics: [one, { name: 'two', status: 'UNAVAILABLE' }, three] };
  t.deepEqual(
    await Promise.all([
      observed(all, statistics('9')),
      observed(all, withoutTwo),
      observed(withoutTwo, all),
      observed(withoutTwo),
      observed(all, statistics('9', { initialLastAppliedIndex: 7 })),
      observed(all, new Error('timed out')),
    ]),
    [false, true, true, false, true, false],
  );
});
