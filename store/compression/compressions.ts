import type { CompressedWindow } from '#domain/compression/compressor.ts';
import type { WindowReport } from '#domain/compression/report-compression.ts';
import type {
  CompressionMetadata,
  CompressionStatus,
  CompressRequest,
  QuerySource,
  UsedStrategy,
} from '#domain/records/compression.ts';
import type { Scope } from '#domain/access/scope.ts';
import { queryNewestRows, type ListPart, type NewestPage } from '#store/newest-rows.ts';
import type { Page } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

export type NewCompression = Omit<CompressRequest, 'content' | 'query' | 'webhook_url'> & {
  id: string;
  asked_query: string | null;
  webhook_url: string;
  input_sha256: string;
  input_bytes: number;
  created_by: string;
};

/** The plan of a job; all fields are null until it is planned. */
export type PlannedCompression = {
  query: string | null;
  query_source: QuerySource | null;
  original_tokens: number | null;
  original_characters: number | null;
  planned_tokens: number | null;
  compressor: CompressRequest['strategy'] | null;
  window_characters: number | null;
  joint: string | null;
  windows_total: number | null;
};

/** How a job ended. */
export type EndedCompression = {
  status: CompressionStatus;
  strategy_used: UsedStrategy | null;
  compressed_tokens: number | null;
  metadata: CompressionMetadata | null;
  error_code: string | null;
  error_message: string | null;
};

export type CompressionRow = NewCompression &
  PlannedCompression &
  EndedCompression & { windows_done: number; created_at: Date; completed_at: Date | null; expires_at: Date | null };

export type WindowRow = { index: number; characters: number; budget_tokens: number; is_done: boolean };

const COLUMNS = `id, strategy, include_metadata, target_ratio, target_tokens, asked_query, webhook_url, input_sha256,
  input_bytes, created_by, query, query_source, original_tokens, original_characters, planned_tokens, compressor,
  window_characters, joint, windows_total, status, strategy_used, compressed_tokens, metadata, error_code, error_message,
  created_at, completed_at, expires_at,
  (select count(*)::int from compression_windows w where w.compression_id = c.id and w.content is not null) as windows_done`;

/** A job in a list. */
export type ListedCompression = Omit<CompressionRow, 'metadata' | 'joint' | 'asked_query' | 'query'>;

/** All windows of a completed job are done; they are not counted. */
const LISTED_COLUMNS = `id, strategy, include_metadata, target_ratio, target_tokens, webhook_url, input_sha256, input_bytes,
  created_by, query_source, original_tokens, original_characters, planned_tokens, compressor, window_characters, windows_total,
  status, strategy_used, compressed_tokens, error_code, error_message, created_at, completed_at, expires_at,
  case when status = 'completed' then windows_total else (
    select count(*)::int from compression_windows w where w.compression_id = r.id and w.content is not null) end as windows_done`;
const OF_WORKSPACE: ListPart = {
  from: 'unnest(:statuses::text[]) s(status)',
  where: 'r.workspace_id = :workspaceId and r.status = s.status',
};
const OF_CREATOR: ListPart = { ...OF_WORKSPACE, where: `r.created_by = :createdBy and ${OF_WORKSPACE.where}` };

/** Compression jobs and their windows. */
export function createCompressionStore(database: Database) {
  return {
    async insert(scope: Scope, job: NewCompression): Promise<void> {
      await query(
        database,
        `insert into compressions (id, workspace_id, strategy, include_metadata, target_ratio, target_tokens, asked_query,
           webhook_url, input_sha256, input_bytes, created_by)
         values (:id, :workspaceId, :strategy, :include_metadata, :target_ratio, :target_tokens, :asked_query, :webhook_url,
           :input_sha256, :input_bytes, :created_by)`,
        { ...job, workspaceId: scope.workspaceId },
      );
    },

    find(scope: Scope, id: string): Promise<CompressionRow | null> {
      return queryOne<CompressionRow>(
        database,
        `select ${COLUMNS} from compressions c where id = :id and workspace_id = :workspaceId`,
        { id, workspaceId: scope.workspaceId },
      );
    },

    /** Returns a page of jobs, newest first: those of one creator, or all of the workspace (null). */
    list(
      scope: Scope,
      request: { createdBy: string | null; statuses: readonly CompressionStatus[]; page: NewestPage },
    ): Promise<Page<ListedCompression & { created_us: number }>> {
      const parts = [request.createdBy === null ? OF_WORKSPACE : OF_CREATOR];
      const list = { table: 'compressions', columns: LISTED_COLUMNS, texts: ['r.error_message'], parts };
      return queryNewestRows<ListedCompression>(database, list, { workspaceId: scope.workspaceId, ...request });
    },

    /** Finds a job and locks it until the transaction ends, so that it ends only once. */
    lock(scope: Scope, id: string): Promise<CompressionRow | null> {
      return queryOne<CompressionRow>(
        database,
        `select ${COLUMNS} from compressions c where id = :id and workspace_id = :workspaceId for update`,
        { id, workspaceId: scope.workspaceId },
      );
    },

    /** Stores the plan of a job, unless it was already planned or has ended. */
    async plan(
      scope: Scope,
      id: string,
      { plan, windows }: { plan: PlannedCompression; windows: readonly { characters: number; budgetTokens: number }[] },
    ): Promise<void> {
      await query(
        database,
        `with planned as (
           update compressions set status = 'running', query = :query, query_source = :query_source,
             original_tokens = :original_tokens, original_characters = :original_characters,
             planned_tokens = :planned_tokens, compressor = :compressor,
             window_characters = :window_characters, joint = :joint, windows_total = :windows_total
           where id = :id and workspace_id = :workspaceId and status = 'pending' returning id)
         insert into compression_windows (compression_id, workspace_id, index, characters, budget_tokens)
         select planned.id, :workspaceId, place - 1, size, budget from planned,
           unnest(:sizes::int[], :budgets::bigint[]) with ordinality as window_of(size, budget, place)`,
        {
          ...plan,
          id,
          workspaceId: scope.workspaceId,
          sizes: windows.map(({ characters }) => characters),
          budgets: windows.map(({ budgetTokens }) => budgetTokens),
        },
      );
    },

    windows(scope: Scope, id: string): Promise<WindowRow[]> {
      return query<WindowRow>(
        database,
        `select index, characters, budget_tokens, content is not null as is_done from compression_windows
         where compression_id = :id and workspace_id = :workspaceId order by index`,
        { id, workspaceId: scope.workspaceId },
      );
    },

    /** Stores the result of a window unless it has one. Returns false when the job has ended. */
    async keepWindow(scope: Scope, id: string, window: { index: number; result: CompressedWindow }): Promise<boolean> {
      const { text, ...rest } = window.result;
      const report: WindowReport = { ...rest, characters: text.length };
      const row = await queryOne<{ is_running: boolean }>(
        database,
        `with kept as (
           update compression_windows w set content = :content, report = :report::jsonb from compressions c
           where w.compression_id = :id and w.workspace_id = :workspaceId and w.index = :index and w.content is null
             and c.id = w.compression_id and c.status = 'running')
         select status = 'running' as is_running from compressions where id = :id and workspace_id = :workspaceId`,
        {
          id,
          workspaceId: scope.workspaceId,
          index: window.index,
          content: Buffer.from(text, 'utf8'),
          report: JSON.stringify(report),
        },
      );
      return row?.is_running === true;
    },

    reports(scope: Scope, id: string): Promise<{ report: WindowReport; length: number }[]> {
      return query(
        database,
        `select report, characters as length from compression_windows
         where compression_id = :id and workspace_id = :workspaceId and report is not null order by index`,
        { id, workspaceId: scope.workspaceId },
      );
    },

    /** Returns the results of the windows that have one, in order. */
    async contents(scope: Scope, id: string): Promise<string[]> {
      const rows = await query<{ content: Buffer }>(
        database,
        `select content from compression_windows
         where compression_id = :id and workspace_id = :workspaceId and content is not null order by index`,
        { id, workspaceId: scope.workspaceId },
      );
      return rows.map(({ content }) => content.toString('utf8'));
    },

    /** Ends a locked job; it expires `retentionMs` from now. */
    async end(scope: Scope, id: string, { ended, retentionMs }: { ended: EndedCompression; retentionMs: number }) {
      await query(
        database,
        `update compressions set status = :status, strategy_used = :strategy_used, compressed_tokens = :compressed_tokens,
           metadata = :metadata::jsonb, error_code = :error_code, error_message = :error_message, completed_at = now(),
           expires_at = now() + :retentionMs::bigint * interval '1 millisecond'
         where id = :id and workspace_id = :workspaceId`,
        {
          ...ended,
          id,
          workspaceId: scope.workspaceId,
          retentionMs,
          metadata: ended.metadata && JSON.stringify(ended.metadata),
        },
      );
    },
  };
}

export type CompressionStore = ReturnType<typeof createCompressionStore>;
