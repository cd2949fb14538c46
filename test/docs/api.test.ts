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
