import test from 'ava';
import { importCycles, layerOf, readSources, type Import, type SourceFile } from './source-model.ts';

const MAX_LINES = 250;

/** What a folder may import as values, beside itself and Node's own modules: folders, and packages by their name or `*`. */
const MAY_IMPORT: Readonly<Record<string, { folders: readonly string[]; packages: readonly string[] }>> = {
  domain: {
    folders: [],
    // Stemmers, word lists and language detection are pure functions.
    packages: ['zod', 'uuid', 'stemmer', '@orama/stemmers', '@orama/stopwords', 'multilingual-stemmer', 'tinyld'],
  },
  operations: { folders: ['domain', 'security', 'observability'], packages: ['zod', 'uuid', 'p-limit', 'p-retry'] },
  security: { folders: ['domain', 'observability'], packages: ['*'] },
  observability: { folders: ['domain', 'security'], packages: ['*'] },
  store: { folders: ['domain', 'security', 'observability'], packages: ['*'] },
  providers: { folders: ['domain', 'security', 'observability'], packages: ['*'] },
  workflows: { folders: ['domain'], packages: ['@temporalio/workflow'] },
  activities: {
    folders: ['operations', 'domain', 'observability'],
    packages: ['@temporalio/activity', '@temporalio/common', 'lru-cache', 'p-limit', 'p-map'],
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
      'ioredis',
      'swagger-ui-dist',
      'raw-body',
      'formidable',
      'content-type',
      '@modelcontextprotocol/server',
    ],
  },
};

/**
 * What a folder of `providers/readers` may import of that folder: the shared kernel, and another format only where documents of
 * its own format contain it. The files directly in `providers/readers` put the formats together and may import all of them.
 */
const READER_FOLDER_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  text: ['shared'],
  markup: ['shared'],
  images: ['shared'],
  office: ['shared'],
  legacy: ['shared', 'office'],
  pdf: ['shared', 'images'],
  archives: ['shared', 'office'],
  external: ['shared', 'reader-pool.ts', 'read-in-parts.ts'],
};

/** Files that put the parts together: they may import anything, and nobody imports them. */
const MAIN_FILES = new Set(['api/main.ts', 'api/openapi-main.ts', 'workers/main.ts', 'migrations/run.ts']);
/** Folders whose files are main files or serve them. */
const ASSEMBLY = new Set(['config', 'services', 'stack', 'test', 'bench', 'workers', 'migrations', 'client']);

const sources = readSources();
/** Packages of their own, with the same rules for their files. */
const clientSources = readSources('client');
const consoleSources = readSources('console');
const packageSources = [...clientSources, ...consoleSources];
const imports = sources.flatMap((file) => file.imports);

test('every file is at most 250 lines long', (t) => {
  const long = [...sources, ...packageSources].filter(({ lines }) => lines > MAX_LINES);
  t.deepEqual(pathsOf(long), [], 'move a part that has a name of its own to a new file');
});

test('folders import only what the table allows', (t) => {
  const broken = imports
    .filter((one) => !one.isType && !isAllowed(one))
    .map(({ from, to, packageName }) => `${from} -> ${to ?? packageName}`);
  t.deepEqual(broken, [], 'get it through `services`, move the code, or change MAY_IMPORT');
});

test('reader folders import the shared kernel, and another format only where theirs contains it', (t) => {
  const folderOf = (path: string | null) => /^providers\/readers\/([^/]+)/.exec(path ?? '')?.[1];
  const broken = imports
    .filter(({ from, to }) => {
      const [folder, target] = [folderOf(from), folderOf(to)];
      if (folder === undefined || folder.endsWith('.ts') || target === undefined || target === folder) return false;
      return READER_FOLDER_MAY_IMPORT[folder]?.includes(target) !== true;
    })
    .map(({ from, to }) => `${from} -> ${to}`);
  t.deepEqual(
    broken,
    [],
    'move what both need to `shared`, move the file into an existing group, or add the folder to READER_FOLDER_MAY_IMPORT',
  );
});

test('workers/jobs.ts stays small enough for the API: domain and the Temporal client only', (t) => {
  const others = imports.filter(({ from, isType, to, packageName }) => {
    if (from !== 'workers/jobs.ts' || isType) return false;
    return to === null ? packageName !== '@temporalio/client' : layerOf(to) !== 'domain';
  });
  t.deepEqual(others, [], 'move the code that needs it to another file of `workers`, or import only the type');
});

test('workflows import only files of domain that need no zod and no I/O', (t) => {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const one of imports) if (one.from === file && !one.isType && one.to !== null) visit(one.to);
  };
  for (const { path } of sources) if (layerOf(path) === 'workflows') visit(path);
  const foreign = imports
    .filter(
      ({ from, isType, packageName }) =>
        reached.has(from) && !isType && packageName !== null && packageName !== '@temporalio/workflow',
    )
    .map(({ from, packageName }) => `${from} -> ${packageName}`);
  t.deepEqual(foreign, [], 'call it from an activity, or move what the workflow needs to a file without this import');
});

test('nobody imports a main file, and only assembly reads the configuration', (t) => {
  const broken = imports
    .filter(({ from, to, isType }) =>
      to === null
        ? false
        : layerOf(to) === 'config'
          ? !isType && !MAIN_FILES.has(from) && !ASSEMBLY.has(layerOf(from))
          : MAIN_FILES.has(to),
    )
    .map(({ from, to }) => `${from} -> ${to}`);
  t.deepEqual(
    broken,
    [],
    'take the setting as a parameter that a main file passes; move what a main file shares to a file of its own',
  );
});

test('only main files, the stack, tests and benchmarks build services', (t) => {
  const builders = new Set(['services', 'stack', 'test', 'bench']);
  const broken = imports
    .filter(({ from, to }) => to !== null && layerOf(to) === 'services' && !MAIN_FILES.has(from))
    .filter(({ from }) => !builders.has(layerOf(from)))
    .map(({ from, to }) => `${from} -> ${to}`);
  t.deepEqual(broken, [], 'take the service as a parameter; a main file builds and passes it');
});

test('the client imports nothing of the server', (t) => {
  const reached = clientSources
    .flatMap((file) => file.imports)
    .filter(({ to }) => to !== null && !to.startsWith('client/src/'));
  t.deepEqual(
    reached,
    [],
    'the client is a package of its own: take the types from client/src/schema.ts, or write the code there',
  );
});

test('the console imports nothing of the server, and the client only as a package', (t) => {
  const reached = consoleSources
    .flatMap((file) => file.imports)
    .filter(({ to }) => to !== null && !to.startsWith('console/src/'));
  t.deepEqual(reached, [], 'the console is a package of its own: import @loci/client/browser');
});

test('there are no import cycles', (t) => {
  t.deepEqual(
    importCycles([...sources, ...packageSources], { withTypes: false }),
    [],
    'move what these files share to a file that imports none of them',
  );
});

test('no file or folder is called utils, helpers, common or types', (t) => {
  t.deepEqual(
    pathsOf([...sources, ...packageSources]).filter((path) =>
      /(^|\/)(utils?|helpers?|common|types)(\.ts|\/)/.test(path),
    ),
    [],
    'give it a name that says what it does or contains',
  );
});

test('nothing is exported wholesale', (t) => {
  t.deepEqual(
    pathsOf([...sources, ...packageSources].filter(({ text }) => /^export \* /m.test(text))),
    [],
    'name what is exported, or import it from where it is declared',
  );
});

function pathsOf(files: readonly SourceFile[]): string[] {
  return files.map(({ path }) => path);
}

function isAllowed({ from, to, packageName }: Import): boolean {
  const folder = layerOf(from);
  if (MAIN_FILES.has(from) || ASSEMBLY.has(folder)) return true;
  const rule = MAY_IMPORT[folder];
  if (!rule) return false;
  if (to !== null) return layerOf(to) === folder || rule.folders.includes(layerOf(to));
  return packageName !== null && (rule.packages.includes('*') || rule.packages.includes(packageName));
}
