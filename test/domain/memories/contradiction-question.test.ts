import test from 'ava';
import { contradictionQuestion, parseContradictions } from '#domain/memories/contradiction-question.ts';

const said = (text: string) => ({ text, statedAt: new Date('2026-11-20T12:00:00Z') });

test('the question numbers facts and memories, each on a line of its own with its date', (t) => {
  const { material } = contradictionQuestion([said('Lives in\nRome.')], [said('Lives in Oslo.'), said('Rows.')]);
  t.is(
    material,
    'Facts:\n1. (2026-11-20) Lives in Rome.\n\nMemories:\n1. (2026-11-20) Lives in Oslo.\n2. (2026-11-20) Rows.',
  );
});

test('an answer counts as far as it names what was shown', (t) => {
  const shown = { facts: 2, memories: 3 };
  const answer = 'Here: [{"fact":1,"memories":[3,3,4,"1"]},{"fact":3,"memories":[1]},7,{"fact":2,"memories":[1]}]';
  t.deepEqual(parseContradictions(answer, shown), [
    { fact: 0, memory: 2 },
    { fact: 1, memory: 0 },
  ]);
  for (const nonsense of ['', 'none', '[', '[[]]', '{"fact":1,"memories":[1]}'])
    t.deepEqual(parseContradictions(nonsense, shown), [], nonsense);
});

test('a fact that contradicts more than five memories contradicts none', (t) => {
  const memories = [1, 2, 3, 4, 5, 6];
  const shown = { facts: 1, memories: 9 };
  t.is(parseContradictions(JSON.stringify([{ fact: 1, memories }]), shown).length, 0);
  t.is(parseContradictions(JSON.stringify([{ fact: 1, memories: memories.slice(1) }]), shown).length, 5);
});
