import test from 'ava';
import { ALL_SLOTS, describeSlots, parseWorkerSlots } from '#domain/worker-slots.ts';

test('a worker runs everything by default, and otherwise only what is listed', (t) => {
  t.is(parseWorkerSlots([]), ALL_SLOTS);
  const parsed = parseWorkerSlots(['ingest:16', 'express', 'workflows:40']);
  t.is('problem' in parsed ? parsed.problem : describeSlots(parsed), 'workflows:40,express:8,ingest:16');
  t.like(parsed, { hasLoops: false });
  t.like(parseWorkerSlots(['loops']), { hasLoops: true, queues: { workflows: 0, ingest: 0 } });
});

test('a list of before there was a queue for conversations runs it with upkeep, which it was part of', (t) => {
  const described = (...entries: string[]) => {
    const parsed = parseWorkerSlots(entries);
    return 'problem' in parsed ? parsed.problem : describeSlots(parsed);
  };
  t.is(described('upkeep'), 'conversations:4,upkeep:10');
  t.is(described('upkeep:1', 'loops'), 'conversations:1,upkeep:1,loops');
  t.is(described('ingest', 'express:2'), 'express:2,ingest:4');
  t.is(described('conversations'), 'conversations:4');
  t.is(described('conversations:9', 'upkeep:2'), 'conversations:9,upkeep:2');
  t.is(described('upkeep', 'conversations:0'), 'conversations:0,upkeep:10');
  const onlyBesideUpkeep = "lists 'conversations:0', which only says something beside 'upkeep': leave it out";
  t.is(described('conversations:0'), onlyBesideUpkeep);
  t.is(described('ingest', 'conversations:0'), onlyBesideUpkeep);
});

test('what a worker runs is described as a list that it can be told again', (t) => {
  const lists = [
    [],
    ['upkeep'],
    ['upkeep:1', 'loops'],
    ['conversations:0', 'upkeep'],
    ['conversations', 'workflows:3'],
  ];
  for (const list of lists) {
    const parsed = parseWorkerSlots(list);
    if ('problem' in parsed) throw new Error(parsed.problem);
    t.deepEqual(parseWorkerSlots(describeSlots(parsed).split(',')), parsed);
  }
});

test('a list of queues that names an unknown one, or no number of slots, is refused with what to use', (t) => {
  const problemOf = (entry: string) => {
    const parsed = parseWorkerSlots(['ingest', entry]);
    return 'problem' in parsed ? parsed.problem : null;
  };
  t.regex(problemOf('reading') ?? '', /^names an unknown queue 'reading': use workflows, download, .*, loops$/);
  for (const entry of ['express:0', 'express:', 'express:1.5', 'express:x', 'express:1001', 'toString', 'loops:2'])
    t.truthy(problemOf(entry), entry);
  for (const entry of ['express:4:5', 'express:0x10', 'express:1e2', 'express: 4', 'express:+4'])
    t.is(problemOf(entry), `needs a number of slots from 1 to 1000 after the colon of '${entry}'`);
});

test('a queue is listed once', (t) => {
  const problem = "lists 'ingest' twice: list it once, with the number of slots that it needs";
  t.deepEqual(parseWorkerSlots(['ingest:4', 'loops', 'ingest']), { problem });
  t.regex(JSON.stringify(parseWorkerSlots(['loops', 'loops'])), /lists 'loops' twice/);
});

test('a number of workflows that Temporal would replace by another one is refused', (t) => {
  const problemOf = (slots: number) => `needs a number of slots from 2 to 200 after the colon of 'workflows:${slots}'`;
  for (const slots of [1, 201]) t.deepEqual(parseWorkerSlots([`workflows:${slots}`]), { problem: problemOf(slots) });
  for (const slots of [2, 200]) t.like(parseWorkerSlots([`workflows:${slots}`]), { queues: { workflows: slots } });
});
