import test from 'ava';
import { judgeFields, parseUploadForm } from '#api/http/multipart/upload-form.ts';
import { AppError } from '#domain/app-error.ts';
import { COLLECTION_ID } from './upload-receiver.ts';

type Fields = Parameters<typeof judgeFields>[0];

const collection = { name: 'collection_id', value: COLLECTION_ID };
const parse = (fields: Fields) =>
  parseUploadForm([collection, ...fields], { itemCount: 1, maxItems: 1_000, inspect: () => [] });

function problemsOf(judge: () => unknown): string[] {
  try {
    judge();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problems = error.issues.map(({ loc, type }) => `${loc.join('.')} ${type}`);
    return problems.length === 0 ? [error.code] : problems;
  }
}

test('a field of JSON with too many values is refused before they are made, when it arrives and at the end', (t) => {
  const objects = '{},'.repeat(100_000);
  for (const [name, value, problem] of [
    ['metadata', `{"a":[${objects}0]}`, 'body.metadata too_big'],
    ['urls', `[${objects}0]`, 'payload_too_large'],
    ['items', `[${objects}{}]`, 'payload_too_large'],
  ] as const) {
    t.deepEqual(
      problemsOf(() => judgeFields([collection, { name, value }])),
      [problem],
    );
    t.deepEqual(
      problemsOf(() => parse([{ name, value }])),
      [problem],
    );
  }
});

test('the fields of a form have as many values together as one field may have', (t) => {
  const items = (count: number) => ({ name: 'items', value: `[${'{},'.repeat(count - 1)}{}]` });
  t.deepEqual(
    problemsOf(() => judgeFields([items(40_000)])),
    [],
  );
  const problems = problemsOf(() => judgeFields([items(40_000), items(5_000), items(40_000)]));
  t.deepEqual(problems, ['payload_too_large']);
});

test('metadata is refused by its length as text, which leaves place for as many escapes as there can be', (t) => {
  const escaped = `{"a":"${'\\u00e9'.repeat(65_000)}"}`;
  const metadata = (value: string) => ({ name: 'metadata', value });
  t.deepEqual(parse([metadata(escaped)]).metadata, { a: 'é'.repeat(65_000) });
  const padded = `{"a":"${'\\u00e9'.repeat(65_000)}"${' '.repeat(200_000)}}`;
  t.deepEqual(
    problemsOf(() => judgeFields([metadata(padded)])),
    ['body.metadata too_big'],
  );
});

test('an integer of an item that JavaScript would change is refused with its place, however items are sent', (t) => {
  const items = (...values: string[]) =>
    problemsOf(() => judgeFields(values.map((value) => ({ name: 'items', value }))));
  const [plain, inexact] = ['{"metadata":{"id":1}}', '{"metadata":{"id":9007199254740993}}'];
  t.deepEqual(items(`[${plain},${inexact}]`), ['body.items.1.metadata.id inexact_integer']);
  t.deepEqual(items(plain, inexact), ['body.items.1.metadata.id inexact_integer']);
});

test('an integer of metadata that JavaScript would change is refused', (t) => {
  const metadata = (value: string) => problemsOf(() => parse([{ name: 'metadata', value }]));
  t.deepEqual(metadata('{"order":9007199254740993}'), ['body.metadata.order inexact_integer']);
  t.deepEqual(metadata('{"order":"9007199254740993"}'), []);
});
