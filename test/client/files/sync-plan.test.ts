import { createHash } from 'node:crypto';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { externalIdOfPath } from '../../../client/src/cli/content-path.ts';
import { groupReplaced, planSync, type KnownContent } from '../../../client/src/cli/sync-plan.ts';
import { formatSyncReport, syncReport } from '../../../client/src/cli/sync-report.ts';
import { folderOf } from '../folders.ts';

const MARKS = { synced_from: 'docs', synced_origin: 'here' };
const WANTED = { name: 'docs', metadata: undefined, hidden: false, isUnread: () => false };
const FAILURE = { input: 'x.pdf', name: 'x.pdf', source: 'file' as const, code: 'unreadable', message: 'No.' };

/** A content that a synchronization of the folder `docs` has put into the collection. */
function known(path: string, more: Partial<KnownContent> = {}): KnownContent {
  const text = `Text of ${path}`;
  const content_hash = createHash('sha256').update(text).digest('hex');
  const external_id = externalIdOfPath(path);
  const metadata = { ...MARKS, external_id };
  return { id: path, name: path, status: 'ready', size: text.length, content_hash, metadata, external_id, ...more };
}

async function filesOf(t: ExecutionContext, ...paths: string[]) {
  const folder = await folderOf(t, Object.fromEntries(paths.map((path) => [path, `Text of ${path}`])));
  return paths.map((path) => ({ path: join(folder, path), contentPath: path }));
}

const ids = (contents: readonly KnownContent[]) => contents.map(({ id }) => id);

test('if a file failed that may succeed later, the report says that nothing was deleted', async (t) => {
  const plan = await planSync([], [known('docs/a.txt'), known('docs/b.txt')], WANTED);
  const failed = syncReport('c', plan, { failures: [FAILURE], problems: [] });
  t.like(failed, { deleted: 0, kept: 2 });
  t.regex(formatSyncReport(failed), /0 deleted.*2 whose files are gone were kept until the rest succeeds/s);
  t.like(syncReport('c', plan, { failures: [], problems: [FAILURE] }), { deleted: 2, kept: 0 });
  for (const code of ['empty_file', 'unsupported_type', 'file_too_large']) {
    const refused = { ...FAILURE, code };
    t.like(syncReport('c', plan, { failures: [refused], problems: [] }), { deleted: 2, kept: 0 }, code);
    t.like(syncReport('c', plan, { failures: [refused, FAILURE], problems: [] }), { deleted: 0, kept: 2 }, code);
  }
});

test('a changed file is sent without metadata when its content has the marks, so that it keeps all of it', async (t) => {
  const changed = { size: 1, content_hash: 'old' };
  const contents = [
    known('docs/a.txt', { ...changed, metadata: { ...MARKS, external_id: 'path:docs/a.txt', lang: 'en' } }),
    known('docs/b.txt', { ...changed, metadata: { ...MARKS, external_id: 'path:docs/b.txt', lang: 'de' } }),
    known('docs/c.txt', { ...changed, metadata: { external_id: 'path:docs/c.txt', lang: 'fr' } }),
    known('docs/d.txt', { ...changed, metadata: { ...MARKS, synced_origin: 'there', lang: 'it' } }),
  ];
  const plan = await planSync(
    await filesOf(t, 'docs/a.txt', 'docs/b.txt', 'docs/c.txt', 'docs/d.txt'),
    contents,
    WANTED,
  );
  const sent = (metadata?: Record<string, unknown>) =>
    groupReplaced(plan.replaced, MARKS, metadata).map((group) => ({
      ...group,
      files: group.files.map(({ contentPath }) => contentPath),
    }));
  t.deepEqual(sent(), [
    { files: ['docs/a.txt', 'docs/b.txt'], metadata: undefined },
    { files: ['docs/c.txt'], metadata: { lang: 'fr', ...MARKS } },
    { files: ['docs/d.txt'], metadata: { ...MARKS, lang: 'it' } },
  ]);
  t.deepEqual(
    sent({ lang: 'nl' }).map(({ metadata }) => metadata),
    [{ lang: 'nl', ...MARKS }],
  );
});

test('a content with the mark is deleted only while its external id is a path of the folder', async (t) => {
  const long = `docs/${'x'.repeat(300)}.txt`;
  const contents = [
    known('docs/gone.txt'),
    known(long),
    known('docs/taken.txt', { external_id: 'ticket-7' }),
    known('docs/elsewhere.txt', { external_id: 'path:docs2/elsewhere.txt' }),
    known(`${long}.md`, { metadata: {} }),
    known('docs/uploaded.txt', { metadata: {} }),
  ];
  const plan = await planSync([], contents, WANTED);
  t.deepEqual(ids(plan.gone), ['docs/gone.txt', long]);
  t.deepEqual(ids(plan.foreign), ['docs/uploaded.txt']);
});

test('moved files with the same bytes take one content each, and only of their extension and metadata', async (t) => {
  const bytes = { size: 3, content_hash: createHash('sha256').update('auk').digest('hex') };
  const contents = [
    known('docs/a.txt', { ...bytes, metadata: { ...MARKS, lang: 'de' } }),
    ...['docs/b.txt', 'docs/c.txt', 'docs/d.md'].map((path) => known(path, bytes)),
  ];
  const folder = await folderOf(t, { 'x.txt': 'auk', 'y.txt': 'auk', 'z.txt': 'auk', 'v.txt': 'moa' });
  const files = ['x.txt', 'y.txt', 'z.txt', 'v.txt'].map((name) => ({
    path: join(folder, name),
    contentPath: `docs/${name}`,
  }));
  const plan = await planSync(files, contents, { ...WANTED, metadata: {} });
  t.deepEqual(
    plan.moved.map(({ content, file }) => [content.id, file.contentPath]),
    [
      ['docs/b.txt', 'docs/x.txt'],
      ['docs/c.txt', 'docs/y.txt'],
    ],
  );
  t.deepEqual(ids(plan.gone), ['docs/a.txt', 'docs/d.md']);
});

test('what was only stored is sent again, so that it becomes searchable', async (t) => {
  const files = await filesOf(t, 'docs/a.txt', 'docs/b.txt');
  const plan = await planSync(files, [known('docs/a.txt', { status: 'stored' }), known('docs/b.txt')], WANTED);
  t.deepEqual(
    plan.replaced.map(({ file }) => file.contentPath),
    ['docs/a.txt'],
  );
  t.deepEqual(ids(plan.unchanged), ['docs/b.txt']);
});

test('without --hidden, contents with a path part that begins with a dot do not count as gone', async (t) => {
  const long = `docs/.secret/${'x'.repeat(300)}.txt`;
  const hidden = ['docs/.env.txt', 'docs/.git/a.txt', 'docs/b/.c/d.txt', long].map((path) => known(path));
  const truncated = known(`docs/${'y/'.repeat(600)}.txt`, { name: `…${'y/'.repeat(500)}z.txt` });
  const contents = [...hidden, truncated, known('docs/a.b.txt')];
  t.deepEqual(ids((await planSync([], contents, WANTED)).gone), ['docs/a.b.txt']);
  t.is((await planSync([], contents, { ...WANTED, hidden: true })).gone.length, contents.length);
  const within = [known('.docs/a.txt', { metadata: { synced_from: '.docs' } })];
  t.is((await planSync([], within, { ...WANTED, name: '.docs' })).gone.length, 1, 'the folder itself was given');
});

test('a content whose file exists and was not read is neither gone nor taken over by a copy of the file', async (t) => {
  const files = (await filesOf(t, 'docs/a.txt')).map((file) => ({ ...file, contentPath: 'docs/copy.txt' }));
  const contents = [known('docs/a.txt')];
  const unread = await planSync(files, contents, { ...WANTED, isUnread: (id) => id === 'path:docs/a.txt' });
  t.deepEqual([unread.moved, unread.gone, unread.added], [[], [], files]);
  t.is((await planSync(files, contents, WANTED)).moved.length, 1);
});
