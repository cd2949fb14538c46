import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { readDocument, section, tableRows } from './markdown.ts';
import { onlyIn } from './only-in.ts';

const PREFIX = '/api/v1';
/** The number of endpoints of the interface. */
const ENDPOINTS = 21;
const MISSING = 'not in this version';

const page = readDocument('docs/interface-tests.md');
const rowsOf = (heading: string) => tableRows(section(page, heading)).slice(1);
const rows = {
  endpoints: rowsOf('## Endpoints of the interface'),
  across: rowsOf('## Across all endpoints'),
  beyond: rowsOf('## Beyond the interface'),
};

const { paths } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), z.looseObject({ 'x-loci-extension': z.boolean().optional() }))),
  })
  .parse(JSON.parse(readDocument('openapi.json')));
const served = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path.replace(PREFIX, '')}`,
    isExtension: operation['x-loci-extension'] === true,
  })),
);

/** The endpoint that a table cell names, for example `GET /chunks`. */
const endpointIn = (cell = '') => /^`((?:GET|POST|PUT|PATCH|DELETE) \S+)`$/.exec(cell)?.[1];

test('the table lists exactly the endpoints of the interface, including those that are not served', (t) => {
  const named = rows.endpoints.flatMap((row) => {
    const endpoint = endpointIn(row[0]);
    return endpoint === undefined ? [] : [{ endpoint, isMissing: row.at(-1) === MISSING }];
  });
  const present = named.filter(({ isMissing }) => !isMissing).map(({ endpoint }) => endpoint);
  t.deepEqual(
    onlyIn(namesOf(false), present),
    [],
    'is served: add a row under "Endpoints of the interface" of docs/interface-tests.md, or set `extension: true` at its route',
  );
  t.deepEqual(
    onlyIn(present, namesOf(false)),
    [],
    `is not served, or is an extension, or stands there twice: remove the row, or end it with "${MISSING}"`,
  );
  const missing = named.filter(({ isMissing }) => isMissing).map(({ endpoint }) => endpoint);
  t.deepEqual(
    missing.filter((endpoint) => served.some(({ name }) => name === endpoint)),
    [],
    'is served by now',
  );
  t.is(named.length, ENDPOINTS, 'the interface has this many endpoints, served or not');
});

test('the table lists every endpoint beyond the interface', (t) => {
  const named = rows.beyond.flatMap((row) => endpointIn(row[0]) ?? []);
  t.deepEqual(
    onlyIn(namesOf(true), named),
    [],
    'is served: add a row under "Beyond the interface" of docs/interface-tests.md',
  );
  t.deepEqual(onlyIn(named, namesOf(true)), [], 'is not served, or stands there twice: remove the row');
});

test('every row of the tables names an existing test by file and title', (t) => {
  const titles = new Map<string, string[]>();
  t.true(Object.values(rows).flat().length > 20);
  for (const row of Object.values(rows).flat()) {
    const shownBy = row.at(-1) ?? '';
    if (shownBy === MISSING) continue;
    const [, file = '', title = ''] = /^`(test\/[\w./-]+\.test\.ts)` › (.+)$/.exec(shownBy) ?? [];
    t.true(file !== '' && existsSync(join(PROJECT_DIR, file)), `no file: ${row.join(' | ')}`);
    if (!titles.has(file)) titles.set(file, titlesIn(readDocument(file)));
    t.true(titles.get(file)?.includes(title), `no such title in ${file}: ${title}`);
  }
});

function namesOf(isExtension: boolean): string[] {
  return served.filter((one) => one.isExtension === isExtension).map(({ name }) => name);
}

function titlesIn(source: string): string[] {
  const calls = source.matchAll(/^test(?:\.serial)?\(\s*(?:'((?:\\.|[^'\\])*)'|"([^"]*)")/gm);
  return [...calls].map(([, single, double]) => (single ?? double ?? '').replaceAll("\\'", "'"));
}
