import type { RunKey } from '#domain/uploads/ingest-jobs.ts';
import type { Services } from '#operations/services.ts';

const PAGE = 500;
const MESSAGE = 'The workflow ended before this content was done; retry to start again.';

/** Ends every content that a run still holds as under way, for the run itself is over. Returns how many. */
export async function failUnsettled(services: Pick<Services, 'stores'>, run: RunKey): Promise<number> {
  const scope = { workspaceId: run.workspace_id, collectionIds: [run.collection_id] };
  const slice = { collectionId: run.collection_id, runId: run.run_id };
  let count = 0;
  for (;;) {
    const rows = await services.stores.runs.listPending(scope, slice, { after: null, limit: PAGE });
    const failures = rows.map((row) => ({ content_id: row.content_id, code: 'terminated', message: MESSAGE }));
    const failed = await services.stores.runs.fail(scope, slice, failures);
    count += failed.length;
    if (failed.length === 0) return count;
  }
}
