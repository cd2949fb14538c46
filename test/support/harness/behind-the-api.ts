import { createPostgres, query, type Bindings } from '#store/postgres.ts';
import { createVectorIndex, type VectorIndex } from '#store/weaviate/vector-index.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import type { TestStack } from './stack.ts';

/** Direct access to the database and the index of the running stack, for tests that check what the API does not show. */
export type BehindTheApi = {
  vectors: VectorIndex;
  query<Row>(sql: string, bindings?: Bindings): Promise<Row[]>;
  /** The stage, failed attempts and progress of each content of an upload. */
  runsOf(uploadId: string): Promise<RunRow[]>;
  /** Makes the periodic work of a workspace due now (removal of residues, checks of the outbox), so that tests need not wait. */
  makeDue(workspaceId: string): Promise<void>;
  close(): Promise<void>;
};

export type RunRow = {
  content_id: string;
  stage: ContentStatus;
  failure_code: string | null;
  dead_attempts: number;
  indexed_chunks: number;
  planned_chunks: number | null;
};

const WEAVIATE_TIMEOUT_MS = 20_000;

/** Connects to Postgres and Weaviate of the stack. The caller closes it at the end of the test. */
export function openBehindTheApi(stack: Pick<TestStack, 'databaseUrl' | 'weaviate'>): BehindTheApi {
  const database = createPostgres({ url: stack.databaseUrl, poolSize: 2, applicationName: 'loci-test' });
  const vectors = createVectorIndex({ ...stack.weaviate, timeoutMs: WEAVIATE_TIMEOUT_MS });
  return {
    vectors,
    query: (sql, bindings) => query(database, sql, bindings),
    runsOf: (uploadId) =>
      query<RunRow>(
        database,
        `select content_id, stage, failure_code, dead_attempts, indexed_chunks, planned_chunks from content_collections
         where upload_id = :uploadId order by content_id`,
        { uploadId },
      ),
    makeDue: async (workspaceId) => {
      await query(database, `update residues set due_at = now() where workspace_id = :workspaceId`, { workspaceId });
      await query(
        database,
        `update outbox set checked_at = now() - interval '1 hour' where workspace_id = :workspaceId and state = 'started'`,
        { workspaceId },
      );
    },
    close: async () => {
      await vectors.close();
      await database.destroy();
    },
  };
}
