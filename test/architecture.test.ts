import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import test from 'ava';
import { parseSync } from 'oxc-parser';

const PROJECT_DIR = join(import.meta.dirname, '..');
const MAX_LINES = 250;

/** What a folder may import as values, beside itself and Node's own modules: folders, and packages by their name or `*`. */
const MAY_IMPORT: Readonly<Record<string, { folders: readonly string[]; packages: readonly string[] }>> = {
  domain: { folders: [], packages: ['zod', 'uuid'] },
  operations: { folders: ['domain', 'security', 'observability'], packages: ['zod', 'uuid', 'p-limit'] },
  security: { folders: ['domain', 'observability'], packages: ['*'] },
  observability: { folders: ['domain', 'security'], packages: ['*'] },
  store: { folders: ['domain', 'security', 'observability'], packages: ['*'] },
  providers: { folders: ['domain', 'security', 'observability'], packages: ['*'] },
  workflows: { folders: ['domain'], packages: ['@temporalio/workflow'] },
  activities: {
    folders: ['operations', 'domain', 'observability'],
    packages: ['@temporalio/activity', '@temporalio/common'],
  },
  api: {
    folders: ['operations', 'domain', 'security', 'observability'],
    packages: [
      'zod',
      'koa',
      '@koa/router',
      'koa-body',
      '@koa/cors',
      'rate-limiter-flexible',
      'swagger-ui-dist',
      'raw-body',
      'formidable',
      'content-type',
    ],
  },
};

/** Files that put the parts together: they may import anything, and nobody imports them. */
const MAIN_FILES = new Set(['api/main.ts', 'api/openapi-main.ts', 'workers/main.ts', 'migrations/run.ts']);
/** Folders whose files are main files or serve them. */
const ASSEMBLY = new Set(['config', 'services', 'stack', 'test', 'bench', 'workers', 'migrations', 'client']);

type Import = { from: string; to: string | null; packageName: string | null; isType: boolean };

const files = globSync('**/*.ts', { cwd: PROJECT_DIR, exclude: ['**/node_modules', '.*', 'client'] }).filter(
  (file) => !file.endsWith('.d.ts'),
);
/** A package of its own, with the same rules for its files. */
const clientFiles = globSync('client/src/**/*.ts', { cwd: PROJECT_DIR, exclude: ['client/src/schema.ts'] });
const imports = files.flatMap(importsOf);

test('every file is at most 250 lines long', (t) => {
  const long = [...files, ...clientFiles]
    .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES);
  t.deepEqual(long, []);
});

test('folders import only what the table allows', (t) => {
  const broken = imports
    .filter((one) => !one.isType && !isAllowed(one))
    .map(({ from, to, packageName }) => `${from} -> ${to ?? packageName}`);
  t.deepEqual(broken, []);
});

test('workers/jobs.ts stays small enough for the API: domain and the Temporal client only', (t) => {
  const others = imports.filter(({ from, isType, to, packageName }) => {
    if (from !== 'workers/jobs.ts' || isType) return false;
    return to === null ? packageName !== '@temporalio/client' : folderOf(to) !== 'domain';
  });
  t.deepEqual(others, []);
});

test('workflows import only files of domain that need no zod and no I/O', (t) => {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const one of imports) if (one.from === file && !one.isType && one.to !== null) visit(one.to);
  };
  for (const file of files.filter((name) => folderOf(name) === 'workflows')) visit(file);
  const foreign = imports
    .filter(
      ({ from, isType, packageName }) =>
        reached.has(from) && !isType && packageName !== null && packageName !== '@temporalio/workflow',
    )
    .map(({ from, packageName }) => `${from} -> ${packageName}`);
  t.deepEqual(foreign, []);
});

test('nobody imports a main file, and only assembly reads the configuration', (t) => {
  const broken = imports
    .filter(({ from, to, isType }) =>
      to === null
        ? false
        : folderOf(to) === 'config'
          ? !isType && !MAIN_FILES.has(from) && !ASSEMBLY.has(folderOf(from))
          : MAIN_FILES.has(to),
    )
    .map(({ from, to }) => `${from} -> ${to}`);
  t.deepEqual(broken, []);
});

test('the client imports nothing of the server', (t) => {
  const reached = clientFiles.flatMap(importsOf).filter(({ to }) => to !== null && !to.startsWith('client/src/'));
  t.deepEqual(reached, []);
});

test('there are no import cycles', (t) => {
  const targets = Map.groupBy(
    imports.filter(({ isType, to }) => !isType && to !== null),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) if (to !== null) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  t.deepEqual(cycles, []);
});

test('files are named after what they export, never utils, helpers, common or types', (t) => {
  t.deepEqual(
    [...files, ...clientFiles].filter((file) => /(^|\/)(utils?|helpers?|common|types)(\.ts|\/)/.test(file)),
    [],
  );
});

test('nothing is exported wholesale', (t) => {
  t.deepEqual(
    [...files, ...clientFiles].filter((file) => /^export \* /m.test(read(file))),
    [],
  );
});

function isAllowed({ from, to, packageName }: Import): boolean {
  const folder = folderOf(from);
  if (MAIN_FILES.has(from) || ASSEMBLY.has(folder)) return true;
  const rule = MAY_IMPORT[folder];
  if (!rule) return false;
  if (to !== null) return folderOf(to) === folder || rule.folders.includes(folderOf(to));
  return packageName !== null && (rule.packages.includes('*') || rule.packages.includes(packageName));
}

function importsOf(file: string): Import[] {
  const { module } = parseSync(file, read(file));
  const declared = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) =>
        entry.moduleRequest ? [{ specifier: entry.moduleRequest.value, isType: entry.isType }] : [],
      ),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) => ({
      specifier: read(file)
        .slice(moduleRequest.start, moduleRequest.end)
        .replace(/^['"`]|['"`]$/g, ''),
      isType: false,
    })),
  ];
  return declared.flatMap(({ specifier, isType }): Import[] => {
    if (specifier.startsWith('#')) return [{ from: file, to: specifier.slice(1), packageName: null, isType }];
    if (specifier.startsWith('.'))
      return [{ from: file, to: normalize(join(dirname(file), specifier)), packageName: null, isType }];
    if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return [];
    const packageName = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    return [{ from: file, to: null, packageName, isType }];
  });
}

function read(file: string): string {
  return readFileSync(join(PROJECT_DIR, file), 'utf8');
}

function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
}
