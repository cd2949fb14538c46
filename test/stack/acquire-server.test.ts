import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import { acquireServer } from '#stack/acquire/acquire-server.ts';
import { chooseEmbedder } from '#stack/acquire/choose-embedder.ts';
import { findOnPath } from '#stack/processes/run-command.ts';
import { StackError } from '#stack/stack-error.ts';
import { currentPlatform, type Platform, type Release, type ServerSource } from '#stack/versions.ts';

const SCRIPT = '#!/bin/sh\necho served\n';

/** A release host with one archive that contains the executable `thing`, and its checksum file. */
async function releaseHost(t: ExecutionContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loci-release-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'thing'), SCRIPT);
  await chmod(join(dir, 'thing'), 0o755);
  execFileSync('tar', ['-czf', join(dir, 'thing.tar.gz'), '-C', dir, 'thing']);
  const archive = await readFile(join(dir, 'thing.tar.gz'));
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const downloads: string[] = [];
  const server = createServer((request, response) => {
    downloads.push(request.url ?? '');
    if (request.url === '/thing.tar.gz') response.end(archive);
    else if (request.url === '/thing.tar.gz.sha256') response.end(`${sha256}  thing.tar.gz\n`);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/thing.tar.gz`, sha256, downloads };
}

async function setUp(t: ExecutionContext, release: Release) {
  const cacheDir = await mkdtemp(join(tmpdir(), 'loci-cache-'));
  t.teardown(() => rm(cacheDir, { recursive: true, force: true }));
  const source: ServerSource = {
    name: 'thing',
    title: 'Thing',
    version: '1.2.3',
    binarySetting: 'LOCI_THING_BINARY',
    pathNames: ['thing'],
    releaseExecutable: 'thing',
    goExecutable: 'thing',
    insteadSetting: null,
    releases: Object.fromEntries([[currentPlatform() ?? 'linux-x64', release]]) as Record<Platform, Release>,
  };
  const lines: string[] = [];
  const pathDir = join(cacheDir, 'empty-path');
  await mkdir(pathDir);
  const environment: NodeJS.ProcessEnv = { PATH: pathDir };
  return { source, context: { cacheDir, environment, log: (line: string) => lines.push(line) }, lines, pathDir };
}

const UNREACHABLE: Release = { url: 'http://127.0.0.1:9/thing.tar.gz', sha256: 'a'.repeat(64) };
const leftovers = async (cacheDir: string) => (await readdir(cacheDir)).filter((name) => name.startsWith('.partial'));

test('downloads, verifies and unpacks an official release once, then uses the cache', async (t) => {
  const { url, sha256, downloads } = await releaseHost(t);
  const { source, context, lines } = await setUp(t, { url, sha256 });
  const executable = await acquireServer(source, context);
  t.is(execFileSync(executable, { encoding: 'utf8' }), 'served\n');
  t.is(await acquireServer(source, context), executable);
  t.deepEqual(downloads, ['/thing.tar.gz']);
  t.is(lines.at(-1), 'Thing 1.2.3: from the cache');
  t.deepEqual(await leftovers(context.cacheDir), []);
});

test('downloads a server once for concurrent callers', async (t) => {
  const { url, downloads } = await releaseHost(t);
  const { source, context } = await setUp(t, { url, sha256: { publishedAt: `${url}.sha256` } });
  const paths = await Promise.all([1, 2, 3].map(() => acquireServer(source, context)));
  t.is(new Set(paths).size, 1);
  t.deepEqual(downloads.sort(), ['/thing.tar.gz', '/thing.tar.gz.sha256']);
});

test('rejects a download with a wrong checksum, and states what was tried and what helps', async (t) => {
  const { url } = await releaseHost(t);
  const { source, context } = await setUp(t, { url, sha256: 'b'.repeat(64) });
  const error = await t.throwsAsync(acquireServer(source, context), { instanceOf: StackError });
  t.regex(error.message, /official release: .*expected b{64}/);
  t.regex(error.message, /build with Go: no Go toolchain is on PATH/);
  t.regex(error.message, /LOCI_THING_BINARY/);
  t.deepEqual(await leftovers(context.cacheDir), []);
});

test('reports an unreachable host, and removes what a killed process left behind', async (t) => {
  const { source, context, lines } = await setUp(t, UNREACHABLE);
  await mkdir(join(context.cacheDir, '.partial-thing-old', 'go'), { recursive: true });
  await t.throwsAsync(acquireServer(source, context), { message: /127\.0\.0\.1:9 is not usable/ });
  t.true(lines.some((line) => line.includes('not available: 127.0.0.1:9 is not usable')));
  t.deepEqual(await leftovers(context.cacheDir), []);
});

test('prefers the configured binary, then one on PATH unless it is unsuitable', async (t) => {
  const { source, context, lines, pathDir } = await setUp(t, UNREACHABLE);
  const onPath = join(pathDir, 'thing');
  await writeFile(onPath, SCRIPT, { mode: 0o755 });
  t.is(findOnPath(['other', 'thing'], pathDir), onPath);
  t.is(await acquireServer(source, context), onPath);
  const named = join(context.cacheDir, 'named');
  await writeFile(named, SCRIPT, { mode: 0o755 });
  t.is(await acquireServer(source, { ...context, environment: { PATH: pathDir, LOCI_THING_BINARY: named } }), named);

  await t.throwsAsync(acquireServer(source, context, { rejectPathBinary: () => Promise.resolve('it is too old') }));
  t.true(lines.includes(`Thing: ${onPath} is not used: it is too old`));

  await writeFile(named, SCRIPT, { mode: 0o644 });
  await chmod(named, 0o644);
  await t.throwsAsync(acquireServer(source, { ...context, environment: { LOCI_THING_BINARY: named } }), {
    message: /\(LOCI_THING_BINARY\) is not an executable file/,
  });
});

test('needs a folder for a model of another name', async (t) => {
  const { context } = await setUp(t, UNREACHABLE);
  const asked = { ...context, stateDir: context.cacheDir, environment: { LOCI_EMBEDDER_MODEL: 'other-model' } };
  await t.throwsAsync(chooseEmbedder(asked), { message: /set LOCI_EMBEDDER_FOLDER/ });
});
