import test from 'ava';
import { liftFollowers } from '#domain/memories/lift-followers.ts';

const hit = (id: string, score: number, previousId: string | null = null) => ({ id, score, previousId });

test('a memory gets a share of the score of its predecessor if that is a hit', (t) => {
  const hits = [
    hit('question', 1),
    hit('other', 0.3, 'absent'),
    hit('answer', 0.2, 'question'),
    hit('last', 0.1, 'answer'),
  ];
  t.deepEqual(
    liftFollowers(hits).map(({ id }) => id),
    ['question', 'answer', 'other', 'last'],
  );
});

test('hits keep their order without predecessors, and none is lost or added', (t) => {
  const hits = [hit('a', 0.5), hit('b', 0.5), hit('c', 0.4)];
  t.deepEqual(liftFollowers(hits), hits);
  t.deepEqual(liftFollowers([]), []);
});
