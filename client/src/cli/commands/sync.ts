import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import pMap from 'p-map';
import type { LociClient } from '../../create-loci-client.ts';
import { dataOf } from '../../data-of.ts';
import { LociError } from '../../loci-error.ts';
import type { UploadFailure } from '../../upload/upload-input.ts';
import type { UploadResult } from '../../upload/upload.ts';
import { collectFiles } from '../collect-files.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import {
  externalIdOfPath,
  folderName,
  isHashedId,
  nameOfPath,
  contentPathInFolder,
  type FoundFile,
} from '../content-path.ts';
import { parseJsonObject } from '../option-parsers.ts';
import { sendAll, waitForAll } from '../send-all.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import {
  groupReplaced,
  listSynced,
  moveContent,
  planSync,
  preventsDeletions,
  sizeOf,
  SYNC_MARKS,
  type KnownContent,
  type Sending,
  type SyncPlan,
} from '../sync-plan.ts';
import { ingestionFailures } from '../upload-report.ts';
import { formatSyncPlan, formatSyncReport, planReport, syncReport } from '../sync-report.ts';

const RETRIES = 8;
/** Only more deletions than this that are also more than this share need a confirmation, or any if the folder has no files. */
const UNASKED_DELETIONS = 5;
const UNASKED_SHARE = 0.1;
const REQUEST_CONCURRENCY = 4;
const REPEATED =
  'Another file has this path, too: their names differ only in how accents are encoded. Rename one of them.';
const HELP = `
Makes the collection hold what the folder holds: new files are added, changed ones replace their contents, moved ones keep
theirs, and contents whose files are gone are deleted, when all others are searchable. Nothing is deleted while a file fails,
unless it is empty, too large or of an unsupported type: such files are only reported. More than five deletions that are also
more than a tenth of the contents of the folder, or any while the folder has no files, are asked about first. Files and
folders that cannot be read are reported; their contents stay, and the rest is done.
Files are compared by checksum. Only contents that loci sync has put there are ever deleted. To continue after an
interruption, run the same command again. Without --hidden, files whose names, or whose folders' names, begin with a dot
are ignored, and their contents stay. In a container, always give --name: the name of the machine is another each time.`;

type SyncOptions = {
  name?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  reader?: string | undefined;
  hidden?: boolean | undefined;
  dryRun?: boolean | undefined;
  yes?: boolean | undefined;
};
type Folder = { path: string; name: string; origin: string };

/** `loci sync` */
export function addSync(program: Command, shell: Shell): void {
  program
    .command('sync')
    .description('Make a collection hold what a folder holds: adds, replaces and deletes contents')
    .argument('<folder>')
    .option('-c, --collection <id or name>', 'target collection; by default the one of npm start')
    .option('--name <name>', 'first part of the paths in the collection; by default the name of the folder')
    .option('-m, --metadata <json>', `metadata of every content, such as '{"lang":"en"}'`, parseJsonObject)
    .option('--reader <name>', 'reader of the files; by default detected from the content')
    .option('--hidden', 'include names that begin with a dot')
    .option('--dry-run', 'only show what would be done')
    .option(...YES_OPTION)
    .addHelpText('after', HELP)
    .action(async (path, options) => {
      const loci = shell.openClient({ retries: RETRIES });
      const folder = await openFolder(path, options.name);
      const collectionId = await resolveCollectionId(loci, options.collection);
      await syncFolder({ loci, shell, collectionId, folder, options });
    });
}

type Sync = { loci: LociClient; shell: Shell; collectionId: string; folder: Folder; options: SyncOptions };

async function syncFolder(sync: Sync): Promise<void> {
  const { loci, shell, collectionId, folder, options } = sync;
  const hidden = options.hidden === true;
  const { problems, files } = await collectIn(folder, hidden);
  const known = await listSynced(loci, { collectionId, name: folder.name, signal: shell.signal });
  const own = known.filter(({ metadata }) => metadata[SYNC_MARKS.from] === folder.name);
  if (options.name === undefined) requireSameOrigin(folder, own);
  const isUnread = unreadIn(folder, problems);
  const plan = await planSync(files, known, { name: folder.name, metadata: options.metadata, hidden, isUnread });
  if (options.dryRun === true) {
    shell.print(planReport(plan, problems), () => formatSyncPlan(plan, problems));
    return;
  }
  if (isMuch(plan.gone.length, { own: own.length, files: files.length })) {
    const question = `${plan.gone.length} of ${own.length} contents are no longer in ${folder.path}. Delete them?`;
    await confirm(shell, options, async () => question);
  }
  const report = syncReport(collectionId, plan, { failures: await carryOut(sync, plan), problems });
  if (report.failed.length > 0) shell.reportFailures();
  shell.print(report, formatSyncReport);
}

/**
 * New files first, so that a text that moves from one file to another is found all the time; deletions when everything else
 * is searchable, and none if a file failed that may succeed later.
 */
async function carryOut(sync: Sync, plan: SyncPlan): Promise<UploadFailure[]> {
  const { loci, shell, folder, options } = sync;
  const marks = { [SYNC_MARKS.from]: folder.name, [SYNC_MARKS.origin]: folder.origin };
  for (const one of plan.moved) await moveContent(loci, one);
  const failures = [
    ...(await sendAndWait(sync, [{ files: plan.added, metadata: { ...options.metadata, ...marks } }])),
    ...(await sendAndWait(sync, groupReplaced(plan.replaced, marks, options.metadata), plan.unchanged)),
  ];
  if (preventsDeletions(failures)) return failures;
  const remove = async ({ id }: KnownContent): Promise<void> => {
    const params = { path: { content_id: id } };
    const answered = await loci.api.DELETE('/api/v1/contents/{content_id}', { params });
    if (answered.response.status !== 404) await dataOf(Promise.resolve(answered));
  };
  await pMap(plan.gone, remove, { concurrency: REQUEST_CONCURRENCY, signal: shell.signal });
  return failures;
}

/** Sends files and waits for them, and for contents whose ingestion was already running. Returns what failed. */
async function sendAndWait(
  sync: Sync,
  groups: readonly Sending[],
  unchanged: readonly KnownContent[] = [],
): Promise<UploadFailure[]> {
  const { loci, shell } = sync;
  const filled = groups.filter(({ files }) => files.length > 0);
  const results = await pMap(filled, (group) => sendGroup(sync, group), { concurrency: 1 });
  const sent = {
    uploadIds: results.flatMap(({ uploadIds }) => uploadIds),
    items: results.flatMap((result) => result.items),
    failures: results.flatMap(({ failures }) => failures),
  };
  const items = [...sent.items, ...unchanged.map(asSent)];
  if (items.every(({ upload_id, status }) => upload_id === null && status === 'ready')) return sent.failures;
  const { failed } = await waitForAll(loci, shell, { ...sent, items });
  const notIngested = ingestionFailures(sent.items, failed);
  return [
    ...sent.failures,
    ...notIngested.map(({ input, name, code, message }) => ({ input, name, source: 'file' as const, code, message })),
  ];
}

function sendGroup({ loci, shell, collectionId, options }: Sync, { files, metadata }: Sending): Promise<UploadResult> {
  return sendAll(loci, shell, {
    collectionId,
    files: files.map(({ path, contentPath }) => ({
      path,
      name: nameOfPath(contentPath),
      externalId: externalIdOfPath(contentPath),
    })),
    metadata,
    reader: options.reader,
  });
}

function asSent({ id, name, external_id, size, content_hash, status }: KnownContent): UploadResult['items'][number] {
  const item = { content_id: id, name, external_id, source: 'file' as const, type: null, size, content_hash, status };
  return { ...item, duplicate: true, replaced: false, input: name, upload_id: null };
}

async function openFolder(path: string, name = folderName(path)): Promise<Folder> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw usageError(`${path} is not a folder that can be read.`);
  if (name === '' || /[/\\\0]/.test(name)) throw usageError('Give the folder a name without slashes with --name.');
  const place = `${hostname()}:${await realpath(path)}`;
  return { path, name: name.normalize('NFC'), origin: createHash('sha256').update(place).digest('hex').slice(0, 16) };
}

/**
 * Names the files by their paths. Of two with the same path, the second would replace the content of the first, at each run. Empty
 * files are not sent, because the service refuses them.
 */
async function collectIn(folder: Folder, hidden: boolean) {
  const found = await collectFiles([folder.path], { hidden });
  const files = new Map<string, FoundFile>();
  const problems = [...found.problems];
  for (const { path } of found.files) {
    const contentPath = contentPathInFolder(folder, path);
    const problem = { input: path, name: contentPath, source: 'file' as const };
    if ((await sizeOf(path)) === 0) problems.push({ ...problem, code: 'empty_file', message: 'The file is empty.' });
    else if (!files.has(contentPath)) files.set(contentPath, { path, contentPath });
    else problems.push({ ...problem, code: 'repeated_path', message: REPEATED });
  }
  return { problems, files: [...files.values()] };
}

/** Another folder of the same name would have all its contents deleted. */
function requireSameOrigin({ name, origin, path }: Folder, own: readonly KnownContent[]): void {
  if (own.every(({ metadata }) => metadata[SYNC_MARKS.origin] === origin)) return;
  throw usageError(
    `The collection holds the contents of another folder called "${name}", or of this one from another place. Keep both: ` +
      `add --name and another name. Or make ${path} take its place: use --name "${name}" from now on, at each run.`,
  );
}

/** Returns which contents are those of files and folders that exist and were not read. */
function unreadIn(folder: Folder, problems: readonly UploadFailure[]): (externalId: string) => boolean {
  const unread = problems.map(({ input, code }) => ({
    id: externalIdOfPath(contentPathInFolder(folder, input)),
    code,
  }));
  const ids = new Set(unread.map(({ id }) => id));
  // What cannot be read may be a folder, whose contents the hashes of long paths do not tell.
  const folders = unread.filter(({ code }) => code === 'unreadable_file').map(({ id }) => `${id}/`);
  return (id) => ids.has(id) || folders.some((start) => id.startsWith(start) || isHashedId(id));
}

function isMuch(deletions: number, { own, files }: { own: number; files: number }): boolean {
  if (deletions === 0) return false;
  return files === 0 || (deletions > UNASKED_DELETIONS && deletions > own * UNASKED_SHARE);
}

function usageError(detail: string): LociError {
  return new LociError(detail, { status: null, code: 'invalid_folder' });
}
