import { dirname } from 'node:path';
import test from 'ava';
import { migrationSource } from '#migrations/source.ts';
import { importCycles, layerOf, readSources, unusedExports } from './source-model.ts';
import { hasOwnName, isWithoutOwnName, longFunctions, longSqlLines, MAX_FILES_IN_FOLDER } from './shape.ts';

/** Migrations whose names were given before the rule; they run in the order of `migrations/source.ts`. */
const NAMED_BEFORE_THE_RULE = 17;

/** Exports that are not imported but loaded by path: tasks of the sandbox's child processes and of threads. */
const ENTRY_POINTS = new Set([
  'providers/readers/run-task.ts: runTask',
  'providers/crawler/run-task.ts: runTask',
  'providers/compressors/run-thread-task.ts: runThreadTask',
]);

const sources = readSources();
const consoleSources = readSources('console');
const everything = [...sources, ...readSources('client'), ...consoleSources];
const product = everything.filter(({ path }) => !['test', 'bench'].includes(layerOf(path)));

test('a function has at most 40 lines, a workflow with its handlers 80', (t) => {
  t.deepEqual(
    longFunctions(product.filter(({ path }) => layerOf(path) !== 'migrations')),
    [],
    'move a step of it to a function with a name of its own',
  );
});

test('a file exports something of its name', (t) => {
  t.deepEqual(
    product.filter((file) => !hasOwnName(file) && !isWithoutOwnName(file)).map(({ path }) => path),
    [],
    'export something that contains the words of the file name, or rename the file: get-word-count.ts exports getWordCountRoute',
  );
});

test('every exported value is imported somewhere', (t) => {
  const server = sources.filter(({ path }) => !['test', 'bench'].includes(layerOf(path)));
  t.deepEqual(
    unusedExports([...server, ...consoleSources], everything).filter((one) => !isEntryPoint(one)),
    [],
    'remove `export`, or use it; add it to ENTRY_POINTS only if it is loaded by its path',
  );
});

test('there are no import cycles, type imports included', (t) => {
  t.deepEqual(
    importCycles(everything, { withTypes: true }),
    [],
    'move the types that these files share to a file that imports none of them',
  );
});

test('a folder has about 25 files at most', (t) => {
  // Migrations only become more.
  const movable = everything.filter(({ path }) => layerOf(path) !== 'migrations');
  const folders = Map.groupBy(movable, ({ path }) => dirname(path));
  const full = [...folders].filter(([, files]) => files.length > MAX_FILES_IN_FOLDER);
  t.deepEqual(
    full.map(([folder, files]) => `${folder} ${files.length}`),
    [],
    'move files that belong together to a folder of their own',
  );
});

test('lines of store/ have at most 130 columns', (t) => {
  t.deepEqual(longSqlLines(sources), [], 'break the line; within SQL, before a keyword');
});

test('new migrations have names that sort in the order in which they run', async (t) => {
  const names = (await migrationSource.getMigrations([])).map((migration) =>
    migrationSource.getMigrationName(migration),
  );
  const added = names.slice(NAMED_BEFORE_THE_RULE);
  const latest = names.slice(0, NAMED_BEFORE_THE_RULE).toSorted().slice(-1);
  t.deepEqual(
    [...latest, ...added],
    [...latest, ...added].toSorted(),
    'rename the new migration: its name begins with a date, and sorts after all that run before it',
  );
});

/** Loaded by path, by a child process or a thread, or called by Temporal. */
function isEntryPoint(one: string): boolean {
  return ENTRY_POINTS.has(one) || one.startsWith('migrations/') || one.startsWith('workflows/');
}
