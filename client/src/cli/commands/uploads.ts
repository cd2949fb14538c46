import type { Command } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import { paginate } from '../../paginate.ts';
import type { components } from '../../schema.ts';
import { changeContent, formatOutcomes, type Outcome } from './contents.ts';
import type { Shell } from '../shell.ts';
import { formatRecord } from '../table.ts';

type Progress = components['schemas']['UploadProgress'];

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
  byId('pause', 'Pause the unfinished contents and crawls of an upload').action(async (id) => {
    const path = '/api/v1/uploads/{upload_id}/pause';
    shell.print(await dataOf(shell.openClient().api.POST(path, of(id))), formatProgress);
  });
  byId('resume', 'Resume the paused contents and crawls of an upload').action(async (id) => {
    const path = '/api/v1/uploads/{upload_id}/resume';
    shell.print(await dataOf(shell.openClient().api.POST(path, of(id))), formatProgress);
  });
  byId('cancel', 'Cancel the unfinished contents and crawls of an upload').action(async (id) => {
    const path = '/api/v1/uploads/{upload_id}/cancel';
    shell.print(await dataOf(shell.openClient().api.POST(path, of(id))), formatProgress);
  });
  byId('retry', 'Ingest the failed and cancelled contents of an upload again').action(async (id) => {
    shell.print(await retryAll(shell, id), (all) => (all.length === 0 ? 'Nothing has failed.' : formatOutcomes(all)));
  });
}

async function retryAll(shell: Shell, id: string): Promise<Outcome[]> {
  const { api } = shell.openClient();
  const retry = changeContent(shell, 'retry');
  const outcomes: Outcome[] = [];
  const options = { path: { upload_id: id }, query: { limit: 1000 }, signal: shell.signal };
  for await (const { content_id, status } of paginate(api, '/api/v1/uploads/{upload_id}', options)) {
    if (RETRIED.has(status)) outcomes.push(await retry(content_id));
  }
  return outcomes;
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
