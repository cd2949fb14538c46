import type { Command } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { runForEach } from '../run-for-each.ts';
import type { Shell } from '../shell.ts';
import { formatRecord } from '../table.ts';
import { changeContent } from './contents.ts';

type Progress = components['schemas']['UploadProgress'];

const ACTIONS = [
  ['pause', 'Pause the unfinished contents and crawls of an upload'],
  ['resume', 'Resume the paused contents and crawls of an upload'],
  ['cancel', 'Cancel the unfinished contents and crawls of an upload'],
] as const;
const RETRIED: ReadonlySet<string> = new Set(['failed', 'cancelled']);

/** `loci uploads` */
export function addUploads(program: Command, shell: Shell): void {
  const uploads = program
    .command('uploads')
    .description('Follow and control uploads, by the ids that loci upload prints');
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
