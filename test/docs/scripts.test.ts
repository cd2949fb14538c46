import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { readDocument } from './markdown.ts';

const Scripts = z.object({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Scripts.parse(JSON.parse(readDocument('package.json')));
const documents = globSync(['*.md', 'docs/*.md', 'bench/*.md', 'client/*.md'], { cwd: PROJECT_DIR })
  .filter((path) => path !== 'CHANGELOG.md')
  .map((path) => ({ path, text: readDocument(path) }));

test('the documents name only npm scripts that exist', (t) => {
  t.true(documents.length > 6);
  for (const { path, text } of documents) {
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g))
      t.true(name in scripts, `${path}: ${name}`);
  }
});

test('TypeScript is started by npm scripts, which run on the Node of the package, or in a container', (t) => {
  for (const { path, text } of documents) {
    const direct = text
      .split('\n')
      .filter((line) => /\bnode [\w./-]+\.ts\b/.test(line) && !line.includes('docker compose'));
    t.deepEqual(direct, [], `${path}: an older Node cannot run this; add a script to package.json`);
  }
});

test('npm ci on another Node does not warn about it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loci-npm-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const manifest = { name: 'another', version: '1.0.0', engines: { node: '>=999' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { '': manifest } };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const environment = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_config_'));
  const ci = async () => {
    const env = Object.fromEntries(environment);
    const { stderr } = await promisify(execFile)('npm', ['ci', '--dry-run', '--ignore-scripts'], { cwd: folder, env });
    return stderr;
  };
  t.regex(await ci(), /EBADENGINE/, 'npm warns without the settings of the project');
  await copyFile(join(PROJECT_DIR, '.npmrc'), join(folder, '.npmrc'));
  t.notRegex(await ci(), /EBADENGINE/);
});
