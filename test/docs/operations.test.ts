import { globSync } from 'node:fs';
import { homedir } from 'node:os';
import test from 'ava';
import { type Config, readConfig } from '#config/index.ts';
import { unknownSettings } from '#config/unknown-settings.ts';
import { createMetrics } from '#observability/metrics.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { configuredPorts } from '#stack/stack-ports.ts';
import { readDocument, section, tableRows } from './markdown.ts';

const runbook = readDocument('docs/operations.md');
const settings = tableRows(section(runbook, '## Settings')).flatMap(([name = '', value = '']) => {
  const variable = /^`(LOCI_\w+)`$/.exec(name)?.[1];
  return variable === undefined ? [] : [{ variable, standard: /^`(.*)`$/.exec(value)?.[1] ?? null }];
});
/** Placeholders for any variable. */
const PLACEHOLDERS = new Set(['LOCI_', 'LOCI_X', 'LOCI_X_FILE']);
/** Also names what the command-line client reads. */
const NAMES_OF_OTHERS = 'config/unknown-settings.ts';
/** What ends like a metric; other words with this beginning are keys and names of roles. */
const METRIC = /\bloci_\w+_(?:total|seconds|bucket|count|sum|bytes|backlog|receivers|deliveries)\b/g;

test('the runbook lists exactly the settings that the code reads, each once', (t) => {
  const sources = globSync('{config,stack}/**/*.ts', { cwd: PROJECT_DIR }).filter((path) => path !== NAMES_OF_OTHERS);
  const read = new Set(sources.flatMap((path) => readDocument(path).match(/\bLOCI_[A-Z0-9_]*/g) ?? []));
  const known = [...read].filter((name) => !PLACEHOLDERS.has(name));
  t.deepEqual(settings.map(({ variable }) => variable).toSorted(compare), known.toSorted(compare));
});

test('no setting of the runbook is called unknown at startup, but a misspelled one is', (t) => {
  const documented = Object.fromEntries(settings.map(({ variable }) => [variable, 'x']));
  t.deepEqual(unknownSettings({ ...documented, LOCI_DATABASE_POL: '5' }), ['LOCI_DATABASE_POL']);
});

test('the defaults in the runbook match those of the code', (t) => {
  const required = {
    LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
    LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
    LOCI_API_KEY_PEPPER: 'p'.repeat(32),
  };
  const stated = settings.flatMap(({ variable, standard }) =>
    standard === null ? [] : [[variable, standard.replace(/^~/, homedir())] as const],
  );
  t.true(stated.length > 20);
  const environment = Object.fromEntries(stated);
  // What is stated is shown as set.
  const withoutShown = ({ shown: _shown, unknown: _unknown, ...config }: Config) => config;
  t.deepEqual(withoutShown(readConfig({ ...environment, ...required })), withoutShown(readConfig(required)));
  t.deepEqual(configuredPorts(environment), configuredPorts({}));
});

test('the runbook lists exactly the metrics of the code', async (t) => {
  const text = await createMetrics().render();
  const measured = [...text.matchAll(/^# TYPE (loci_\w+)/gm)].map(([, name]) => name ?? '');
  const described = tableRows(section(runbook, '## Health and metrics')).flatMap(
    ([name = '']) => /^`(loci_\w+)`$/.exec(name)?.[1] ?? [],
  );
  t.deepEqual(described.toSorted(compare), measured.toSorted(compare));
});

test('the runbook lists exactly the stages that the steps of workflows are measured by', (t) => {
  const steps = new Set(
    [...readDocument('activities/index.ts').matchAll(/\bstep\('(\w+)'/g)].map(([, name = '']) => name),
  );
  t.true(steps.size > 20);
  const described = new Set(
    tableRows(section(runbook, '### Stages')).flatMap(([, stages = '']) => stages.match(/(?<=`)\w+(?=`)/g) ?? []),
  );
  t.deepEqual([...described].toSorted(compare), [...steps].toSorted(compare));
});

test('every metric named in a document or an example is one that the service publishes', async (t) => {
  const published = await createMetrics().render();
  const names = new Set(
    [...published.matchAll(/^# TYPE (loci_\w+) (\w+)/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['', '_bucket', '_sum', '_count'].map((ending) => name + ending) : [name],
    ),
  );
  const documents = globSync('{*.md,docs/**/*.md,bench/*.md,client/*.md,api/examples/*.ts,openapi.json}', {
    cwd: PROJECT_DIR,
  });
  t.true(documents.length > 50);
  for (const path of documents) {
    for (const [name] of readDocument(path).matchAll(METRIC)) t.true(names.has(name), `${path}: ${name}`);
  }
});

function compare(one: string, other: string): number {
  return one.localeCompare(other);
}
