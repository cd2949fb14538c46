import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { runCommand } from '#stack/processes/run-command.ts';
import { CLIENT_DIR } from '#test/support/harness/client-package.ts';
import { installCommand, type InstalledCommand } from './installed-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

/** A program of a user that uses every part of the package. */
const PROGRAM = `
import { createLociClient, dataOf, LociError, type LociClient, type components } from '@loci/client';

export const loci: LociClient = createLociClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'x' });

export async function names(collectionId: string): Promise<string[]> {
  const found: string[] = [];
  for await (const content of loci.paginate('/api/v1/contents', { query: { collection_id: collectionId } })) {
    found.push(content.name);
  }
  for await (const { title } of loci.paginate('/api/v1/conversations')) found.push(title ?? '');
  for await (const { version } of loci.paginate('/api/v1/memories/{memory_id}/history', { path: { memory_id: 'm' } })) {
    found.push(version.toFixed());
  }
  return found;
}

export async function best(query: string): Promise<components['schemas']['SearchResult'] | undefined> {
  const body = { query, collection_id: 'c' };
  const { results } = await dataOf(loci.api.POST('/api/v1/collections/search', { body }));
  return results[0];
}

export function refused(): void {
  // @ts-expect-error there is no such endpoint
  void loci.api.GET('/api/v1/nothing');
  // @ts-expect-error a query is needed
  void loci.api.POST('/api/v1/collections/search', { body: { collection_id: 'c' } });
  // @ts-expect-error this is no list
  void loci.paginate('/api/v1/contents/{content_id}');
}

try {
  console.log(await names('c'));
} catch (error) {
  console.log(error instanceof LociError ? error.code : error);
}
`;

test('the package contains only built files, and depends on nothing of the server', (t) => {
  const others = installed.files.filter((file) => !file.startsWith('dist/'));
  t.deepEqual(others.toSorted(), ['LICENSE', 'README.md', 'package.json']);
  const isBuilt = (file: string) => file.endsWith('.js') || file.endsWith('.d.ts');
  t.deepEqual(
    installed.files.filter((file) => file.startsWith('dist/') && !isBuilt(file)),
    [],
  );
  t.deepEqual(installed.dependencies.toSorted(), [
    '@commander-js/extra-typings',
    'ansi-regex',
    'cli-progress',
    'commander',
    'emoji-regex',
    'eventsource-parser',
    'is-fullwidth-code-point',
    'is-network-error',
    'openapi-fetch',
    'openapi-typescript-helpers',
    'p-map',
    'p-retry',
    'string-width',
    'strip-ansi',
  ]);
});

test('a program compiles against the package and runs', async (t) => {
  const folder = join(installed.folder, 'program');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'program.mts');
  await writeFile(file, PROGRAM);
  const flags = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--typeRoots'];
  const compiler = join(CLIENT_DIR, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, ...flags, join(CLIENT_DIR, 'node_modules', '@types'), file];
  await t.notThrowsAsync(runCommand({ file: process.execPath, args, cwd: folder }));
  const printed = await runCommand({ file: process.execPath, args: [join(folder, 'program.mjs')], cwd: folder });
  t.is(printed.trim(), 'unreachable');
});

test('every command has a help text', async (t) => {
  const { code, stdout } = await installed.run(['--help']);
  t.is(code, 0);
  const commands = [...stdout.matchAll(/^ {2}(\w+) .*$/gm)].map(([, name = '']) => name);
  for (const name of ['upload', 'search', 'collections', 'contents', 'memories', 'conversations', 'keys']) {
    t.true(commands.includes(name), name);
    const help = await installed.run([name, '--help']);
    t.is(help.code, 0);
    t.regex(help.stdout, new RegExp(`^Usage: loci ${name} `));
    t.regex(help.stdout, /--json/);
  }
  const { version } = await import('../../client/package.json', { with: { type: 'json' } }).then(
    (json) => json.default,
  );
  t.is((await installed.run(['--version'])).stdout.trim(), version);
});

test('an invalid command line is explained and exits with code 2', async (t) => {
  for (const args of [['serch', 'x'], ['search'], ['search', 'x', '--type', 'fuzzy'], ['keys', 'create'], []]) {
    const { code, stdout, stderr } = await installed.run(args);
    t.is(code, 2, args.join(' '));
    t.is(stdout, '');
    t.regex(stderr, /\S/);
  }
  t.regex((await installed.run(['serch', 'x'])).stderr, /Did you mean search\?/);
  const { stderr } = await installed.run(['contents', 'list', '--limit', 'many']);
  t.regex(stderr, /whole number/);
});
