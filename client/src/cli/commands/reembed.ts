import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import type { LociClient } from '../../create-loci-client.ts';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { embeddingOf } from '../embedding-of.ts';
import { startProgress } from '../progress-line.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { formatRecord } from '../table.ts';

type Reembedding = components['schemas']['Reembedding'];

const PATH = '/api/v1/collections/{collection_id}/reembed';
const ACTIONS = ['pause', 'resume', 'cancel'] as const;
const POLL_MS = 1_000;

/** `loci collections reembed` */
export function addReembed(collections: Command, shell: Shell): void {
  collections
    .command('reembed')
    .description('Change the embedder of a collection while it is searched')
    .argument('<id or name>')
    .option(
      '--embedder <name>',
      'the new embedder, by a name in /readyz, or local or openai; by default the default one',
    )
    .addOption(new Option('--control <action>', 'pause, resume or cancel a running change').choices(ACTIONS))
    .option('--show', 'only show the progress of the present or last change')
    .option('--no-wait', 'do not wait until searches use the new embedder')
    .action(async (one, { embedder, control, show, wait }) => {
      const loci = shell.openClient();
      const params = { path: { collection_id: await resolveCollectionId(loci, one) } };
      if (show === true) return shell.print(await dataOf(loci.api.GET(PATH, { params })), formatRecord);
      if (control !== undefined)
        return shell.print(await dataOf(loci.api.POST(`${PATH}/${control}`, { params })), formatRecord);
      const body = embedder === undefined ? {} : { embedding: embeddingOf(embedder) };
      const started = await dataOf(loci.api.POST(PATH, { params, body }));
      const last = wait ? await follow(loci, shell, started) : started;
      if (last.status === 'failed' || last.status === 'cancelled') shell.reportFailures();
      shell.print(last, formatRecord);
    });
}

/** Shows the progress until searches use the new index, or the change is over. */
async function follow(loci: LociClient, shell: Shell, started: Reembedding): Promise<Reembedding> {
  const params = { path: { collection_id: started.collection_id } };
  let last = started;
  const line = startProgress('Re-embedding', Math.max(1, last.total_contents), !shell.isJson());
  try {
    while (last.switched_at === null && last.completed_at === null) {
      await delay(POLL_MS, undefined, { signal: shell.signal });
      const before = Math.max(1, last.total_contents);
      last = await dataOf(loci.api.GET(PATH, { params }));
      if (last.total_contents > before) line.grow(last.total_contents);
      line.update(last.contents, last.status_message ?? last.status);
    }
  } finally {
    line.stop();
  }
  return last;
}
