import { createServer } from 'node:http';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import test from 'ava';
import { idsOf } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { addFileWithoutUtf8Name, folderOf, manyFiles } from './folders.ts';
import { forward } from './forward.ts';
import { ending, installCommand, type InstalledCommand } from './installed-command.ts';
import { startSync } from './start-sync.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

test('a collection follows its folder: files are added, replaced, moved and deleted, and the rest is not touched', async (t) => {
  const sync = await startSync(installed);
  const folder = await folderOf(t, {
    'a.txt': 'The auk is black.',
    'b/b.txt': 'The auk is white.',
    'b/c.txt': 'The auk is grey.',
    'd.txt': 'The auk is lost.',
  });
  const at = (...paths: string[]) => paths.map((path) => `${basename(folder)}/${path}`);
  const own = idsOf(await sync.upload(['file', new File(['The auk is mine.'], 'mine.txt')]));
  t.like(await sync.report(folder), { code: 0, added: 4, replaced: 0, moved: 0, deleted: 0, unchanged: 0, failed: [] });
  const moved = (await sync.search('white', { search_type: 'keyword' }))[0]?.content_id;

  await writeFile(join(folder, 'a.txt'), 'The auk is blue.');
  await rename(join(folder, 'b/b.txt'), join(folder, 'moved.txt'));
  await rm(join(folder, 'd.txt'));
  await writeFile(join(folder, 'e.txt'), 'The auk is new.');
  const planned = await sync.run(folder, '--dry-run');
  t.is(
    planned.stdout,
    [
      `add     ${at('e.txt').join()}`,
      `replace ${at('a.txt').join()}`,
      `move    ${at('b/b.txt').join()} -> ${at('moved.txt').join()}`,
      `delete  ${at('d.txt').join()}`,
      '4 to change, 1 unchanged. Nothing was done.\n',
    ].join('\n'),
  );
  t.deepEqual(await sync.words('auk'), ['black', 'grey', 'lost', 'mine', 'white'], 'a dry run changes nothing');
  t.like(await sync.report(folder), { code: 0, added: 1, replaced: 1, moved: 1, deleted: 1, unchanged: 1, failed: [] });
  t.deepEqual(await sync.words('auk'), ['blue', 'grey', 'mine', 'new', 'white']);
  t.deepEqual(await sync.names(), [...at('a.txt', 'b/c.txt', 'e.txt', 'moved.txt'), 'mine.txt'].toSorted());
  t.is((await sync.search('white', { search_type: 'keyword' }))[0]?.content_id, moved, 'it was not sent again');
  t.is((await sync.content(own[0])).status, 'ready');
  const last = await sync.run(folder);
  t.is(last.stdout, '0 added, 0 replaced, 0 moved, 0 deleted, 4 unchanged, 0 failed.\n');
});

test('every text of a folder is found, in exactly one version, all the time while it is changed and moved', async (t) => {
  const sync = await startSync(installed);
  const count = 12;
  const text = (index: number, version: string) => `Sighting${index} of the auk is ${version}.`;
  const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.txt`, text(index, 'old')]));
  const folder = await folderOf(t, files);
  t.is((await sync.report(folder)).added, count);
  const moved = (index: number) => index % 3 === 0;
  for (let index = 0; index < count; index += 1) {
    if (moved(index)) await rename(join(folder, `${index}.txt`), join(folder, `moved-${index}.txt`));
    else await writeFile(join(folder, `${index}.txt`), text(index, 'new'));
  }
  const running = ending(sync.start([folder, '--json']));
  const ended = running.then(() => true);
  const next = () => new Promise<boolean>((resolve) => setImmediate(resolve, false));
  const seen = { old: 0, new: 0 };
  for (let isOver = false; ; isOver = await Promise.race([ended, next()])) {
    const found = await sync.search('auk', { search_type: 'keyword', max_results: 100 });
    const versions = Map.groupBy(found, ({ content }) => /Sighting(\d+)/.exec(content)?.[1]);
    for (let index = 0; index < count; index += 1) {
      const shown = (versions.get(String(index)) ?? []).map(({ content }) => /is (\w+)/.exec(content)?.[1]);
      t.is(shown.length, 1, `sighting ${index}: ${shown.join()}`);
      if (!moved(index)) seen[shown[0] === 'new' ? 'new' : 'old'] += 1;
      else t.is(shown[0], 'old');
      if (isOver) t.is(shown[0], moved(index) ? 'old' : 'new');
    }
    if (isOver) break;
  }
  t.true(seen.old > 0 && seen.new > 0);
  t.like(JSON.parse((await running).stdout), { added: 0, replaced: 8, moved: 4, deleted: 0 });
});

test('after being killed, the same command completes the synchronization', async (t) => {
  const sync = await startSync(installed);
  const folder = await folderOf(t, { ...manyFiles(20, 'auks'), 'gone.txt': 'Gone notes about auks.' });
  t.is((await sync.report(folder)).added, 21);
  await rm(join(folder, 'gone.txt'));
  for (const [path, text] of Object.entries(manyFiles(430, 'auks'))) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), `${text} Changed.`);
  }
  let uploads = 0;
  const server = createServer((request, response) => {
    const isUpload = request.method === 'POST' && request.url?.endsWith('/upload') === true;
    if (isUpload) uploads += 1;
    if (isUpload && uploads === 3) request.once('data', () => child.kill('SIGKILL'));
    else forward(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const child = sync.start([folder], `http://127.0.0.1:${port}`);
  t.is((await ending(child)).code, null);
  t.true(
    (await sync.names()).some((name) => name.endsWith('/gone.txt')),
    'deletions come last',
  );
  const again = await sync.report(folder);
  t.like(again, { code: 0, deleted: 1, failed: [] });
  t.true(again.unchanged > 0, 'what had been sent is not sent again');
  t.is(again.added + again.replaced + again.unchanged, 430);
  t.is((await sync.names()).length, 430);
  t.like(await sync.report(folder), { added: 0, replaced: 0, deleted: 0, unchanged: 430 });
});

test('only contents that a synchronization of this folder has put there are deleted', async (t) => {
  const sync = await startSync(installed);
  const folder = await folderOf(t, { 'a.txt': 'The auk is old.' });
  const name = basename(folder);
  const uploaded = await sync.loci('upload', folder, '-c', sync.collectionId);
  t.is(uploaded.code, 0);
  const items = [{ external_id: `path:${name}/api.txt` }, { external_id: 'other' }];
  const sent = ['api.txt', 'other.txt'].map((file) => ['files', new File([`The auk is in ${file}.`], file)] as const);
  await sync.upload(['items', JSON.stringify(items)], ...sent);
  await rename(join(folder, 'a.txt'), join(folder, 'b.txt'));
  t.like(await sync.report(folder), { code: 0, added: 1, deleted: 0, foreign: 2 });
  t.is((await sync.names()).length, 4);
  await writeFile(join(folder, 'b.txt'), 'The auk is changed.');
  t.like(await sync.report(folder), { code: 0, replaced: 1, deleted: 0, foreign: 2 });
  await rename(join(folder, 'b.txt'), join(folder, 'c.md'));
  t.like(await sync.report(folder), { code: 0, added: 1, deleted: 1, foreign: 2 });
  t.is((await sync.names()).length, 4);

  const other = join(await folderOf(t, { [join(name, 'x.txt')]: 'The auk is elsewhere.' }), name);
  const refused = await sync.run(other);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /another folder called .* add --name and another name.* use --name .* from now on/s);
  t.like(await sync.report(other, '--name', 'elsewhere'), { code: 0, added: 1, deleted: 0, foreign: 0 });
  t.is((await sync.names()).length, 5);
});

test('if a file fails nothing is deleted, and a changed file keeps the metadata of its content', async (t) => {
  const sync = await startSync(installed);
  const folder = await folderOf(t, {
    'a.txt': 'The auk is old.',
    'gone.txt': 'The auk is lost.',
    '.h.txt': 'The auk is shy.',
  });
  const uploaded = await sync.loci('upload', folder, '-c', sync.collectionId, '--store-only');
  t.is(uploaded.code, 0);
  t.like(await sync.report(folder, '-m', '{"lang":"en"}', '--hidden'), { code: 0, added: 1, replaced: 2 });
  t.deepEqual(await sync.words('auk'), ['lost', 'old', 'shy'], 'what was only stored is searchable');
  await writeFile(join(folder, 'a.txt'), 'The auk is blue.');
  await rm(join(folder, 'gone.txt'));
  await writeFile(join(folder, 'torn.pdf'), '%PDF-1.7 torn');
  t.like(await sync.report(folder), { code: 1, replaced: 1, deleted: 0, kept: 1, failed: { length: 1 } });
  t.deepEqual(await sync.words('auk'), ['blue', 'lost', 'shy']);
  const found = await sync.search('blue', { search_type: 'keyword' });
  t.like((await sync.content(found[0]?.content_id ?? '')).metadata, { lang: 'en', synced_from: basename(folder) });
  await rm(join(folder, 'torn.pdf'));
  t.like(await sync.report(folder), { code: 0, unchanged: 1, deleted: 2, kept: 0 }, 'the torn one, too');
  t.deepEqual(await sync.words('auk'), ['blue', 'shy'], 'without --hidden, hidden contents stay');
});

test('a file that the service refuses as it is keeps nothing but its own content', async (t) => {
  const sync = await startSync(installed);
  const folder = await folderOf(t, { 'a.txt': 'The auk is old.', 'gone.txt': 'The auk is lost.' });
  t.like(await sync.report(folder), { code: 0, added: 2 });
  await writeFile(join(folder, 'a.txt'), '');
  await writeFile(join(folder, 'x.bin'), new Uint8Array([0, 1, 2, 3, 255, 254, 0, 0, 7]));
  await rm(join(folder, 'gone.txt'));
  const report = await sync.report(folder);
  t.like(report, { code: 1, deleted: 1, kept: 0 });
  t.deepEqual(report.failed.map(({ code }) => code).toSorted(), ['empty_file', 'unsupported_type']);
  t.deepEqual(await sync.words('auk'), ['old']);
});

test('the content of a file that cannot be read stays, also when there is a copy of the file', async (t) => {
  const sync = await startSync(installed);
  const folder = await folderOf(t, { 'a.txt': 'The auk is old.' });
  t.like(await sync.report(folder), { code: 0, added: 1 });
  await rename(join(folder, 'a.txt'), join(folder, 'copy.txt'));
  await symlink('nowhere', join(folder, 'a.txt'));
  t.like(await sync.report(folder), { code: 1, added: 1, moved: 0, deleted: 0, failed: { length: 1 } });
  t.deepEqual(
    await sync.names(),
    ['a.txt', 'copy.txt'].map((name) => `${basename(folder)}/${name}`),
  );
});

test('many deletions need a confirmation, and a file that cannot be read is not taken for a deleted one', async (t) => {
  const sync = await startSync(installed);
  const folder = await folderOf(t, manyFiles(12, 'auks'));
  t.is((await sync.report(folder)).added, 12);
  await rm(join(folder, 'part-0'), { recursive: true });
  const refused = await sync.run(folder);
  t.is(refused.code, 1);
  t.is(refused.stdout, '');
  t.regex(refused.stderr, /10 of 12 contents are no longer in .*Delete them\? Nothing was done.*Add --yes/s);
  t.is((await sync.names()).length, 12);
  const unreadable = (await addFileWithoutUtf8Name(folder)) ? 1 : 0;
  const rest = { deleted: 10, unchanged: 2, failed: { length: unreadable } };
  t.like(
    await sync.report(folder, '--yes'),
    { code: unreadable, ...rest },
    'it does not keep the others from deletion',
  );
  await rm(join(folder, 'part-1/auks-10.txt'));
  await symlink('nowhere', join(folder, 'part-1/auks-10.txt'));
  t.like(await sync.report(folder), { code: 1, deleted: 0, unchanged: 1, failed: { length: 1 + unreadable } });
  t.is((await until(sync.names, (names) => names.length <= 2)).length, 2);
  await rm(folder, { recursive: true });
  await mkdir(folder);
  t.is((await sync.run(folder)).code, 1, 'an empty folder needs a confirmation');
  t.is((await sync.run(join(folder, 'missing'))).code, 1);
  t.is((await sync.names()).length, 2);
});

test('of two files whose names differ only in their encoding, one is taken, at each run the same, and the other is reported', async (t) => {
  const sync = await startSync(installed);
  const name = 'caf\u00e9.txt';
  const folder = await folderOf(t, { [name]: 'The auk is one.', [name.normalize('NFD')]: 'The auk is two.' });
  const failed = [{ input: join(folder, name), code: 'repeated_path' }];
  t.like(await sync.report(folder), { code: 1, added: 1, failed });
  t.like(await sync.report(folder), { code: 1, added: 0, replaced: 0, unchanged: 1, failed });
  t.deepEqual(await sync.words('auk'), ['two']);
});
