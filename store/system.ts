import type { JobStart } from '#domain/jobs.ts';
import { createBlobSweep } from '#store/blobs/blob-sweep.ts';
import { createHostRateLimit } from '#store/crawls/host-rate-limit.ts';
import { claimDueRefreshes } from '#store/connections/credential-refresh.ts';
import { purgeOAuthStates, consumeOAuthState } from '#store/connections/oauth-states.ts';
import { findReach, type Reach, type ReachQuery } from '#store/access/reach.ts';
import { query, queryOne, type Database, type PreparedStatement } from './postgres.ts';
import { takeDueWakes } from '#store/outbox/wakes.ts';

/** An API key as authentication needs it. */
export type ApiKeyRow = {
  id: string;
  workspace_id: string;
  key: string;
  hashed_secret: string;
  status: 'active' | 'revoked';
  permissions: string[];
  ip_whitelist: string[] | null;
  collections: string[] | null;
  expires_at: Date | null;
  last_used_at: Date | null;
};

export type NewApiKey = {
  workspaceId: string;
  key: string;
  hashedSecret: string;
  label: string;
  permissions: readonly string[];
  createdBy: string;
};

export type OutboxRow = JobStart & { id: number; attempts: number };

/** What is left of ended runs, with the index that may hold some of it. */
export type Residue = {
  content_id: string;
  collection_id: string;
  workspace_id: string;
  passes: number;
  /** Newest version there was when this was read; null when the content is gone. A later one is none of this pass's business. */
  max_version: number | null;
  /** Versions up to that one that are published or under way. */
  live_versions: number[];
};

const OUTBOX_COLUMNS = `id, workspace_id, workflow_type, workflow_id, task_queue, args, summary, attempts`;

/** Every request begins with this. */
const FIND_API_KEY: PreparedStatement = {
  name: 'find_api_key',
  sql: `select id, workspace_id, key, hashed_secret, status, permissions, ip_whitelist, collections, expires_at, last_used_at
    from api_keys where key = :publicId and exists (select from workspaces w where w.id = workspace_id and w.status = 'active')`,
};

/** The few statements that know no workspace yet, or serve all of them. */
export function createSystemStore(database: Database) {
  return {
    async ping(): Promise<void> {
      await query(database, 'select 1');
    },

    findApiKey(publicId: string): Promise<ApiKeyRow | null> {
      return queryOne<ApiKeyRow>(database, FIND_API_KEY, { publicId });
    },

    /** What a user reaches, whose workspace is not known yet. */
    findReach(user: ReachQuery): Promise<Reach[]> {
      return findReach(database, user);
    },

    ...createHostRateLimit(database),
    ...createBlobSweep(database),
    takeDueWakes: (olderThanMs: number, limit: number) => takeDueWakes(database, olderThanMs, limit),

    /** Notes a use, at most once a minute. */
    async touchApiKey(id: string): Promise<void> {
      await query(
        database,
        `update api_keys set last_used_at = now() where id = :id and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
        { id },
      );
    },

    async insertWorkspace(name: string): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        `insert into workspaces (name) values (:name) returning id`,
        { name },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },

    async insertApiKey(key: NewApiKey): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        `insert into api_keys (workspace_id, key, hashed_secret, label, permissions, created_by)
         values (:workspaceId, :key, :hashedSecret, :label, :permissions, :createdBy) returning id`,
        { ...key },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },

    /**
     * Work to start whose time has come. Nobody else takes it for half a minute, however slow the starts are; whoever took
     * it and died leaves it to the next after that.
     */
    takeDueStarts(limit: number): Promise<OutboxRow[]> {
      return query<OutboxRow>(
        database,
        `update outbox set attempts = attempts + 1, next_attempt_at = now() + interval '30 seconds'
         where id in (select id from outbox where state = 'pending' and next_attempt_at <= now() order by id limit :limit for update skip locked)
         returning ${OUTBOX_COLUMNS}`,
        { limit },
      );
    },

    /** The start failed; it is tried again after 1, 2, 4 … 30 s. */
    async noteStartFailure(id: number, message: string): Promise<void> {
      await query(
        database,
        `update outbox set last_error = :message,
           next_attempt_at = now() + least(power(2, least(attempts - 1, 5)), 30) * interval '1 second'
         where id = :id and state = 'pending'`,
        { id, message },
      );
    },

    /** Started work that nobody looked at for a while. */
    takeUnchecked(olderThanMs: number, limit: number): Promise<OutboxRow[]> {
      return query<OutboxRow>(
        database,
        `update outbox set checked_at = now() where id in (
           select id from outbox where state = 'started' and checked_at < now() - :olderThanMs::bigint * interval '1 millisecond'
           order by checked_at limit :limit for update skip locked) returning ${OUTBOX_COLUMNS}`,
        { olderThanMs, limit },
      );
    },

    /** Has the work started again, under a new workflow id where the old one is used up. */
    async restart(id: number, workflowId: string): Promise<void> {
      await query(
        database,
        `update outbox set state = 'pending', workflow_id = :workflowId, attempts = 0, next_attempt_at = now() where id = :id`,
        { id, workflowId },
      );
    },

    async outboxBacklog(): Promise<{ rows: number; oldestAgeMs: number }> {
      const row = await queryOne<{ rows: number; age: number }>(
        database,
        `select count(*) as rows, coalesce(extract(epoch from now() - min(created_at)) * 1000, 0)::bigint as age from outbox where state = 'pending'`,
      );
      return { rows: row?.rows ?? 0, oldestAgeMs: row?.age ?? 0 };
    },

    /** Residues whose next pass is due; each is moved to the pass after it, later and later, until it is dropped. */
    takeDueResidues(limit: number, passDelaysMs: readonly number[]): Promise<Residue[]> {
      return query<Residue>(
        database,
        `update residues r set passes = r.passes + 1,
           due_at = now() + (:delays::bigint[])[least(r.passes + 1, cardinality(:delays::bigint[]))] * interval '1 millisecond'
         where (content_id, collection_id) in (
           select content_id, collection_id from residues due where due_at <= now() and not exists (
             -- The deletion removes these itself and counts them.
             select 1 from content_collections cc where cc.content_id = due.content_id and cc.collection_id = due.collection_id
               and cc.stage = 'deleting') order by due_at limit :limit for update skip locked)
         returning r.content_id, r.collection_id, r.workspace_id, r.passes, (
           select cc.version from content_collections cc
           where cc.content_id = r.content_id and cc.collection_id = r.collection_id) as max_version, array(
           select v from content_collections cc, unnest(array[cc.active_version, cc.version]) as v
           where cc.content_id = r.content_id and cc.collection_id = r.collection_id and v is not null
             and (v is not distinct from cc.active_version or cc.stage in ('pending', 'downloading', 'reading', 'splitting', 'indexing'))) as live_versions`,
        { limit, delays: passDelaysMs },
      );
    },

    async dropResidue(residue: { content_id: string; collection_id: string }, passes: number): Promise<void> {
      await query(
        database,
        `delete from residues where content_id = :content_id and collection_id = :collection_id and passes >= :passes`,
        { content_id: residue.content_id, collection_id: residue.collection_id, passes },
      );
    },

    consumeOAuthState: (stateHash: string) => consumeOAuthState(database, stateHash),
    purgeOAuthStates: () => purgeOAuthStates(database),
    claimDueRefreshes: (due: { workspaceId: string | null; limit: number }) => claimDueRefreshes(database, due),

    async purgeIdempotencyKeys(): Promise<void> {
      await query(database, `delete from idempotency_keys where expires_at < now()`);
    },

    /** Removes compress jobs whose time is over. Returns how many. */
    async purgeCompressions(limit: number): Promise<number> {
      const gone = await query(
        database,
        `delete from compressions where id in (select id from compressions where expires_at < now() limit :limit) returning id`,
        { limit },
      );
      return gone.length;
    },
  };
}

export type SystemStore = ReturnType<typeof createSystemStore>;
