import test from 'ava';
import { tracedWorkflowModules } from '#observability/opentelemetry/temporal-tracing.ts';
import * as workflows from '#workflows/index.ts';
import { CANARIES, leaksOf, readableText } from './canaries.ts';
import { readRecordings, replay, type RecordedHistory } from './recording.ts';

const recordings = await readRecordings();

/** Returns the history with one text replaced in its JSON. */
function tampered(history: RecordedHistory, from: string, to: string): RecordedHistory {
  const text = JSON.stringify(history);
  if (!text.includes(from)) throw new Error(`there is no ${from} in the history`);
  return JSON.parse(text.replaceAll(from, to));
}

function recordingOf(name: string): RecordedHistory {
  const found = recordings.findLast((recording) => recording.name.endsWith(`/${name}`));
  if (!found) throw new Error(`there is no recording ${name}; npm run histories makes them`);
  return found.history;
}

test('every workflow has recorded histories', (t) => {
  const recorded = new Set(recordings.flatMap(({ name }) => /([^/]+?)-/.exec(name.split('/').at(-1) ?? '')?.[1] ?? []));
  t.deepEqual([...recorded].toSorted(), Object.keys(workflows).toSorted());
});

test('recorded histories replay with the current code', async (t) => {
  t.deepEqual(await replay(recordings), []);
});

test('recorded histories replay while workflows are traced, so that tracing can be switched on at any time', async (t) => {
  t.deepEqual(await replay(recordings, tracedWorkflowModules()), []);
});

test('a history that the code does not match is detected', async (t) => {
  const plain = recordingOf('ingestBatch-plain');
  const problems = await replay([
    {
      name: 'another workflow',
      history: tampered(plain, '"workflowType":{"name":"ingestBatch"}', '"workflowType":{"name":"deleteContent"}'),
    },
    { name: 'another step', history: tampered(plain, '"ingestSlice"', '"readSlice"') },
    {
      name: 'another child',
      history: tampered(recordingOf('ingestUpload-plain'), '"name":"ingestBatch"', '"name":"crawlSite"'),
    },
    { name: 'untouched', history: plain },
  ]);
  t.deepEqual(
    problems.map((problem) => problem.split(': ', 2).join(': ')),
    ['another workflow', 'another step', 'another child'].map((name) => `${name}: DeterminismViolationError`),
  );
});

test('no recorded history contains user texts or API keys', (t) => {
  for (const { name, history } of recordings) t.deepEqual(leaksOf(history), [], name);
});

test('the leak check reads decoded payloads', (t) => {
  const data = Buffer.from(JSON.stringify({ name: `x ${CANARIES.file_name}` })).toString('base64');
  t.deepEqual(leaksOf({ events: [{ input: { payloads: [{ metadata: {}, data }] } }] }), ['file_name']);
  t.deepEqual(leaksOf({ summary: `loci_${'a'.repeat(12)}_${'b'.repeat(49)}` }), ['secret']);
  t.deepEqual(leaksOf({ summary: 'a secret' }, ['secret']), ['secret']);
  t.regex(readableText(recordingOf('ingestUpload-express')), /"contents":1\b/);
});

test('recorded histories contain no machine or process names', (t) => {
  for (const { name, history } of recordings) t.notRegex(JSON.stringify(history), /"identity"/, name);
});
