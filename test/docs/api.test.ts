import test from 'ava';
import { z } from 'zod';
import { errorStatus } from '#api/http/response/error-status.ts';
import type { ErrorCode } from '#domain/app-error.ts';
import { ERROR_MEANINGS } from '#domain/error-meanings.ts';
import { readDocument, section, tableRows } from './markdown.ts';
import { onlyIn } from './only-in.ts';

const page = readDocument('docs/api.md');

test('docs/api.md describes exactly the endpoints of openapi.json', (t) => {
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(JSON.parse(readDocument('openapi.json')));
  const served = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const described = [...page.matchAll(/^### ((?:GET|POST|PUT|PATCH|DELETE) .*)$/gm)].map(
    ([, heading]) => heading ?? '',
  );
  t.deepEqual(onlyIn(served, described), [], 'is served: add a section with this heading ("### …") to docs/api.md');
  t.deepEqual(
    onlyIn(described, served),
    [],
    'is not served, or is described twice: remove the section, or run `npm run openapi` if the route is new',
  );
});

test('docs/api.md describes every error code with its status, meaning and remedy as in the code', (t) => {
  const described = [
    ...tableRows(section(page, '## Error codes of requests')),
    ...tableRows(section(page, '## Error codes of items')),
  ].filter(([code]) => code !== 'code');
  const meant = Object.entries(ERROR_MEANINGS).map(([code, { meaning, remedy }]) => {
    const status = String(errorStatus(code as ErrorCode)); // the keys of the record are codes
    return [`\`${code}\``, code === 'validation_failed' ? `${status}, on upload 400` : status, meaning, remedy];
  });
  t.deepEqual(described, meant);
});

/** Lists whose `limit` the table names, with their bounds; `other lists` for the rest. */
function describedLimits(): Map<string, string> {
  const rows = tableRows(section(page, '## Limits')).filter(([what]) => what?.startsWith('`limit` of'));
  const clauses = rows.flatMap(([what = '', limit = '']) => `${what}: ${limit}`.split('; '));
  const bounds = /(\d+(?:,\d+)?) to (\d+(?:,\d+)?)(?:, default (\d+)|)/;
  return new Map(
    clauses.flatMap((clause) => {
      const [, ...found] = bounds.exec(clause) ?? [];
      const names = [...clause.matchAll(/(?<=[ `])\/[\w{}/]+|other lists/g)].map(([name]) => name);
      return names.map((name) => [name, found.map((bound) => bound?.replace(',', '')).join(' ')] as const);
    }),
  );
}

test('docs/api.md gives the bounds of the limit of every list as in openapi.json', (t) => {
  const schema = z.object({ minimum: z.number(), maximum: z.number(), default: z.number().optional() });
  const Parameter = z.object({ name: z.string().optional(), schema: z.unknown().optional() });
  const Operation = z.object({ parameters: z.array(Parameter) });
  const { paths } = z
    .object({ paths: z.record(z.string(), z.object({ get: Operation.optional() })) })
    .parse(JSON.parse(readDocument('openapi.json')));
  const described = describedLimits();
  let lists = 0;
  for (const [path, { get }] of Object.entries(paths)) {
    const limit = get?.parameters.find(({ name }) => name === 'limit');
    const name = path.replace('/api/v1', '').replace(/\{\w+\}/, '{id}');
    // Its limit counts characters.
    if (limit === undefined || name === '/contents/{id}/text') continue;
    lists += 1;
    const { minimum, maximum, default: standard } = schema.parse(limit.schema);
    t.is(described.get(name) ?? described.get('other lists'), [minimum, maximum, standard].join(' '), name);
  }
  t.true(lists > 10);
});
