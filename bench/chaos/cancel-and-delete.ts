import { DeletionAccepted } from '#domain/records/deletion.ts';
import { isSettled } from '#domain/statuses.ts';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import type { AcknowledgedContent } from './round-result.ts';
import { runsOf, type WatchedUploads } from './run-progress.ts';

type Ingestion = WatchedUploads & {
  api: ApiClient;
  contents: readonly AcknowledgedContent[];
  title: string;
  log: (line: string) => void;
};

const UNAVAILABLE = 503;

/**
 * Cancels one running content and deletes another. A worker that is suspended within a transaction keeps the lock of its content,
 * so a request for it is answered with 503 until Postgres ends that transaction, after 30 s; as clients should, it is sent again.
 */
export async function cancelAndDeleteOne({ api, contents, title, log, ...uploads }: Ingestion): Promise<void> {
  const running = ((await runsOf(uploads)) ?? []).filter((run) => !isSettled(run.stage)).map((run) => run.content_id);
  const chosen = contents.filter(({ contentId }) => running.includes(contentId));
  const [cancelled, deleted] = [chosen.at(-1), chosen.at(0)];
  if (cancelled && cancelled !== deleted) {
    const path = `/contents/${cancelled.contentId}/cancel`;
    const answer = await eventually('a cancellation is answered', async () => {
      const { ok, status } = await api.send(path, { method: 'POST' });
      return status === UNAVAILABLE ? null : { ok };
    });
    // The content may have finished just before.
    if (answer.ok) cancelled.expectedOutcome = 'cancelled';
  }
  if (deleted) {
    const path = `/contents/${deleted.contentId}`;
    const { deletion_id: deletionId } = await eventually('a deletion is accepted', async () =>
      api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 }),
    );
    Object.assign(deleted, { expectedOutcome: 'deleted', deletionId });
  }
  const done = [cancelled?.expectedOutcome === 'cancelled' ? 'one cancelled' : '', deleted ? 'one deleted' : ''];
  log(`${title}: ${running.length} running, ${done.filter(Boolean).join(' and ') || 'none cancelled or deleted'}`);
}
