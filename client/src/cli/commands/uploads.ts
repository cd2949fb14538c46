import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import { runForEach } from '../run-for-each.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';
import { changeContent } from './contents.ts';

type Progress = components['schemas']['UploadProgress'];
type Summary = components['schemas']['UploadSummary'];

const ACTIONS = [
  ['pause', 'Pause the unfinished contents and crawls of an upload'],
  ['resume', 'Resume the paused contents and crawls of an upload'],
  ['cancel', 'Cancel the unfinished contents and crawls of an upload'],
] as const;
const STATUSES = [
  'stored',
  'running',
  'paused',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const satisfies readonly Summary['status'][];
/** The largest page of the list of uploads. */
const PAGE_ITEMS = 200;
const RETRIED: ReadonlySet<string> = new Set(['failed', 'cancelled']);

/** `loci uploads` */
export function addUploads(program: Command, shell: Shell): void {
  const uploads = program.command('uploads').description('List, follow and control uploads');
  addList(uploads, shell);
  const byId = (name: string, description: string) =>
    uploads.command(name).description(description).argument('<upload id>');
  const of = (id: string) => ({ params: { path: { upload_id: id } } });
  byId('get', 'Show the progress of an upload').action(async (id) => {
    shell.print(await dataOf(shell.openClient().api.GET('/api/v1/uploads/{upload_id}', of(id))), formatProgress);
  });
  for (const [name, description] of ACTIONS) {
    byId(name, description).action(async (id) => {
      const path = `/api/v1/uploads/{upload_id}/${name}` as const;
      shell.print(await dataOf(shell.openClient().api.POST(path, of(id))), formatProgress);
    });
  }
  byId('retry', 'Ingest the failed and cancelled contents of an upload again').action(async (id) => {
    const ids = listRetried(shell, id);
    await runForEach(shell, { ids, none: 'Nothing has failed.' }, changeContent(shell, 'retry'));
  });
}

function addList(uploads: Command, shell: Shell): void {
  uploads
    .command('list')
    .description('List uploads, newest first')
    .option('-c, --collection <id or name>', 'only uploads to this collection')
    .addOption(new Option('--status <status>', 'only uploads with this status').choices(STATUSES))
    .option(...LIMIT_OPTION)
    .action(async ({ limit, collection, status }) => {
      const loci = shell.openClient();
      const query = {
        ...(collection === undefined ? {} : { collection_id: await resolveCollectionId(loci, collection) }),
        ...(status === undefined ? {} : { status }),
      };
      const asked = { loci, shell, limit, pageItems: PAGE_ITEMS };
      shell.print(await fetchList(asked, '/api/v1/uploads', { query }), formatUploads);
    });
}

function formatUploads(uploads: readonly Summary[]): string {
  if (uploads.length === 0) return 'There are no uploads.';
  const rows = uploads.map(({ id, status, progress, failed_uploads: rejected, created_at, name }) => {
    const failed = (progress.by_status['failed'] ?? 0) + rejected;
    return [id, status, `${progress.settled}/${progress.total}`, String(failed), created_at, name ?? ''];
  });
  return formatTable(['ID', 'STATUS', 'DONE', 'FAILED', 'CREATED', 'NAME'], rows);
}

async function* listRetried(shell: Shell, id: string): AsyncGenerator<string> {
  const options = { path: { upload_id: id }, query: { limit: 1000 }, signal: shell.signal };
  for await (const item of shell.openClient().paginate('/api/v1/uploads/{upload_id}', options)) {
    if (RETRIED.has(item.status)) yield item.content_id;
  }
}

function formatProgress({ id, collection_id, status, progress, errors, created_at }: Progress): string {
  const contents = Object.entries(progress.by_status).map(([name, count]) => `${count} ${name}`);
  return formatRecord({
    id,
    status,
    contents: contents.join(', '),
    progress: `${progress.percent} %`,
    rejected: errors.length,
    collection_id,
    created_at,
  });
}
