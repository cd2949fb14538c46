import * as fc from 'fast-check';
import type { Operation, Parameter } from './api-document.ts';
import { hostileJson, hostileText, valueFor, type SchemaSource } from './schema-arbitrary.ts';

/** A request as plain data, so that counterexamples are readable and can be shrunk. */
export type FuzzRequest = {
  path: string;
  headers: Readonly<Record<string, string>>;
  body:
    | { kind: 'none' }
    | { kind: 'text'; text: string }
    | { kind: 'form'; fields: readonly (readonly [string, string])[] };
};

const NO_HEADERS: Readonly<Record<string, string>> = {};
/** Disables ingestion and crawling, which take minutes and have their own tests. */
const WITHOUT_INGESTION: Readonly<Record<string, string>> = { ingest: 'false', crawl: 'false' };

/** Requests to one operation: most of them valid, the others invalid in one place or everywhere. */
export function requestFor(operation: Operation, source: SchemaSource): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      path: pathFor(operation, source),
      query: queryFor(operation, source),
      headers: headersFor(operation),
      body: bodyFor(operation, source),
    })
    .map(({ path, query, headers, body }) => ({
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...(body.kind === 'text' ? { 'Content-Type': 'application/json' } : NO_HEADERS), ...headers },
      body,
    }));
}

const rarely = (usual: fc.Arbitrary<unknown>, odd: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Encodes a value as one path segment that URL normalization keeps. */
function segmentOf(value: unknown): string {
  const text = asText(value).toWellFormed();
  return text === '' || text === '.' || text === '..' ? 'x' : encodeURIComponent(text);
}

function pathFor(operation: Operation, source: SchemaSource): fc.Arbitrary<string> {
  const parameters = operation.parameters.filter((one) => one.in === 'path');
  const values = parameters.map((one) => rarely(valueFor(one.schema, source, one.name), hostileText));
  return fc
    .tuple(...values)
    .map((chosen) =>
      parameters.reduce((path, one, index) => path.replace(`{${one.name}}`, segmentOf(chosen[index])), operation.path),
    );
}

function queryFor(operation: Operation, source: SchemaSource): fc.Arbitrary<string> {
  const parameters = operation.parameters.filter((one) => one.in === 'query');
  const pairs = parameters.map((one) => pairFor(one, source));
  return fc.tuple(...pairs).map((chosen) => new URLSearchParams(chosen.flat()).toString());
}

/** No value, one, or occasionally several values of a parameter. */
function pairFor(parameter: Parameter, source: SchemaSource): fc.Arbitrary<[string, string][]> {
  const value = rarely(valueFor(parameter.schema, source, parameter.name), hostileText);
  const counts = { minLength: parameter.required === true ? 1 : 0, maxLength: 1 };
  return rarely(fc.array(value, counts), fc.array(value, { maxLength: 3 })).map((values) =>
    (values as unknown[]).map((one) => [parameter.name, asText(one).toWellFormed()]),
  );
}

function headersFor(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const takesKey = operation.parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key');
  const key = fc.stringMatching(/^[!-~]{1,80}$/).map((text) => ({ 'Idempotency-Key': text }));
  const odd = fc.constantFrom<Record<string, string>>(
    { 'Content-Type': 'text/plain' },
    { Prefer: 'wait=0' },
    { 'X-Workspace-Id': 'x' },
    { 'If-Match': '*' },
    { 'Idempotency-Key': 'x'.repeat(300) },
  );
  const none = fc.constant<Record<string, string>>({});
  return fc.oneof(
    { weight: 8, arbitrary: none },
    { weight: takesKey ? 2 : 0, arbitrary: key },
    { weight: 1, arbitrary: odd },
  );
}

function bodyFor(operation: Operation, source: SchemaSource): fc.Arbitrary<FuzzRequest['body']> {
  if (operation.form !== null) return formFor(operation, source);
  if (operation.json === null) return fc.constant({ kind: 'none' });
  const valid = valueFor(operation.json, source);
  const json = fc.oneof(
    { weight: 6, arbitrary: valid },
    {
      weight: 3,
      arbitrary: fc.tuple(valid, hostileJson, fc.nat()).map(([value, odd, where]) => replaced(value, odd, where)),
    },
    { weight: 1, arbitrary: hostileJson },
  );
  const text = rarely(
    json.map((value) => JSON.stringify(value) ?? ''),
    fc.constantFrom(
      '',
      '{',
      '{"a":1}}',
      '[',
      '"',
      'null',
      '{"__proto__":{}}',
      '['.repeat(200),
      '\uFEFF{}',
      '{"a":1,"a":2}',
    ),
  );
  return text.map((chosen) => ({ kind: 'text', text: String(chosen) }));
}

function formFor(operation: Operation, source: SchemaSource): fc.Arbitrary<FuzzRequest['body']> {
  const { properties = {} } = operation.form ?? {};
  const pairs = Object.entries(properties)
    .filter(([name]) => !(name in WITHOUT_INGESTION))
    .map(([name, schema]) =>
      fc
        .array(rarely(valueFor(schema, source, name), hostileText), {
          minLength: name === 'collection_id' ? 1 : 0,
          maxLength: 1,
        })
        .map((values) => values.map((value) => [name, asText(value).toWellFormed()] as const)),
    );
  return fc
    .tuple(...pairs)
    .map((chosen) => ({ kind: 'form', fields: [...chosen.flat(), ...Object.entries(WITHOUT_INGESTION)] }));
}

/** A copy in which one nested value, selected by `where`, is replaced. */
function replaced(value: unknown, odd: unknown, where: number): unknown {
  if (typeof value !== 'object' || value === null || where % 5 === 0) return odd;
  const keys = Object.keys(value);
  const key = keys[where % Math.max(1, keys.length)];
  if (key === undefined) return { unexpected: odd };
  const inner = replaced((value as Record<string, unknown>)[key], odd, Math.floor(where / 5)); // any object has values by key
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
}
