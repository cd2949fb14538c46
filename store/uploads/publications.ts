import type { Scope } from '#domain/access/scope.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, type Database } from '#store/postgres.ts';
import type { RunContents, RunRef } from './run-work.ts';
import { SEARCHED_INDEX, type WrittenIndex } from '#store/collections/generations.ts';
import { REMEMBER_VERSION } from '#store/contents/content-versions.ts';
import { ANNOUNCE_READY_CONTENTS, ISO_FORMAT } from '#store/webhooks/webhook-events.ts';

/** A content whose chunks are all in the index, with their number. */
export type CompleteContent = { content_id: string; chunks: number };
export type Published = CompleteContent & { stale: boolean };

/**
 * `config`: how the contents were read and embedded. `tenant` and `epoch`: of the index that has them. `built`: those that the
 * index which is built beside it has as well, and its number.
 */
export type Publication = WrittenIndex & {
  contents: readonly CompleteContent[];
  config: Record<string, unknown>;
  built?: { number: number; contentIds: readonly string[] } | null;
};

/** A content with the fields that its chunks can be filtered by. */
export type Facettable = {
  content_id: string;
  version: number;
  name: string;
  type: string | null;
  external_id: string | null;
  content_hash: string | null;
  size: number | null;
  source: string;
  url: string | null;
  description: string | null;
  metadata: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
};

/** Publishes versions of contents, and reads what is published. */
export function createPublicationStore(database: Database) {
  return {
    /**
     * Publishes contents of a run in one transaction, except those that are paused or belong to another run by now, and none
     * when their index is no longer the one that is searched, or in a later epoch: then they are indexed again. The publication
     * numbers are assigned last: the lock on the counter of the workspace makes the commit order equal the order of the numbers.
     */
    async publish(scope: Scope, run: RunRef, publication: Publication): Promise<Published[]> {
      if (publication.contents.length === 0) return [];
      return database.transaction(async (transaction) => {
        const rows = await markReady(transaction, scope, { run, publication });
        if (rows.length > 0) {
          const contentIds = rows.map((row) => row.content_id);
          await flipVersions(transaction, scope, { ...run, contentIds, built: publication.built ?? null });
        }
        return rows;
      });
    },

    /** Returns those of the published contents whose filter fields the index does not have yet. */
    async listStale(scope: Scope, collectionId: string, contentIds: readonly string[]): Promise<string[]> {
      const rows = await query<{ content_id: string }>(
        database,
        `select cc.content_id from content_collections cc join contents t on t.id = cc.content_id
         where cc.workspace_id = :workspaceId and ${ofCollection('cc')} and cc.content_id = any(:contentIds::uuid[])
           and cc.stage = 'ready' and ${OUTDATED} order by 1`,
        { workspaceId: scope.workspaceId, collectionId, contentIds },
      );
      return rows.map((row) => row.content_id);
    },

    /** Returns those of a run's published contents whose filter fields the index does not have, and no workflow writes. */
    async listUnprojected(scope: Scope, run: RunRef, limit: number): Promise<string[]> {
      const rows = await query<{ content_id: string }>(
        database,
        `select cc.content_id from content_collections cc
         where cc.workspace_id = :workspaceId and ${ofCollection('cc')} and cc.run_id = :runId
           and cc.filters_outdated and cc.stage = 'ready' and not cc.projecting
         order by 1 limit :limit`,
        { workspaceId: scope.workspaceId, ...run, limit },
      );
      return rows.map((row) => row.content_id);
    },

    /**
     * Returns contents of a collection in id order, with the fields that their facets are made of, except those that are being
     * deleted. `version` is the published one, or the one in progress when none is published.
     */
    facettable(scope: Scope, collectionId: string, contentIds: readonly string[]): Promise<Facettable[]> {
      return query<Facettable>(
        database,
        `select t.id as content_id, coalesce(cc.active_version, cc.version) as version, t.name, t.type, t.external_id,
           t.content_hash, t.size, t.source, t.url, t.description, t.metadata, t.created_at, t.updated_at
         from content_collections cc join contents t on t.id = cc.content_id
         where cc.workspace_id = :workspaceId and ${ofCollection('cc')} and cc.content_id = any(:contentIds::uuid[])
           and cc.stage <> 'deleting'
         order by t.id`,
        { workspaceId: scope.workspaceId, collectionId, contentIds },
      );
    },

    /** Whether a collection has any published content. */
    async hasPublished(scope: Scope, collectionId: string): Promise<boolean> {
      const rows = await query(
        database,
        `select 1 from content_collections where workspace_id = :workspaceId and collection_id = :collectionId
           and active_version is not null limit 1`,
        { workspaceId: scope.workspaceId, collectionId },
      );
      return rows.length > 0;
    },
  };
}

/**
 * Whether filter fields of a content `t` in a collection, `cc`, may be outdated. Clients write `sync_status`, too; it counts for
 * changes of processes and of times that did not set `filters_outdated`.
 */
const OUTDATED = `(cc.filters_outdated or t.sync_status = 'stale')`;

const MARK_READY = `with searched as (${SEARCHED_INDEX}), mine as (
     select cc.content_id, cc.version, cc.planned_chunks, cc.reader, cc.upload_id, cc.filters_outdated,
       cc.text_facts -> 'file_data' as file_data
     from content_collections cc
     join unnest(:contentIds::uuid[], :chunks::int[]) as complete(id, chunks) on complete.id = cc.content_id
     where cc.workspace_id = :workspaceId and ${ofCollection('cc')} and cc.run_id = :runId
       and not cc.paused and cc.stage = 'indexing' and cc.planned_chunks = complete.chunks and exists (select from searched)
     order by cc.content_id for update of cc
   ), content as (
     -- Later changes of these contents wait for the lock and then find this version published.
     select t.id, ${OUTDATED} as stale from contents t join mine cc on cc.content_id = t.id
     order by t.id for no key update of t
   ), shown as (
     update contents t set status = 'ready', status_message = null, updated_at = now(),
       sync_status = case when ${OUTDATED} then 'stale' else 'synced' end,
       config = :config::jsonb || jsonb_build_object('reader', cc.reader),
       file_data = t.file_data || coalesce(cc.file_data, '{}')
     from mine cc where t.id = cc.content_id and ${ofCollection('t')}
   ), residue as (
     insert into residues (content_id, collection_id, workspace_id)
     select content_id, :collectionId, :workspaceId from mine where version > 1
     on conflict (content_id, collection_id) do update set passes = 0, due_at = now()
   ), ${ANNOUNCE_READY_CONTENTS}
   select mine.content_id, mine.planned_chunks as chunks, content.stale
   from mine join content on content.id = mine.content_id`;

/** Locks the publishable contents and shows them as ready. The locks are held until the transaction ends. */
function markReady(
  transaction: Database,
  scope: Scope,
  { run, publication }: { run: RunRef; publication: Publication },
): Promise<Published[]> {
  const { contents, config, tenant, epoch } = publication;
  return query<Published>(transaction, MARK_READY, {
    workspaceId: scope.workspaceId,
    ...run,
    tenant,
    epoch,
    contentIds: contents.map((content) => content.content_id),
    chunks: contents.map((content) => content.chunks),
    config: JSON.stringify(config),
    isoFormat: ISO_FORMAT,
  });
}

/**
 * Makes the new versions, with their texts, the active ones, and numbers the publications. Contents whose filters are outdated in
 * another collection stay `stale`.
 */
async function flipVersions(
  transaction: Database,
  scope: Scope,
  { built, ...run }: RunContents & { built: Publication['built'] },
): Promise<void> {
  await query(
    transaction,
    `with counter as (
       update workspaces set publish_counter = publish_counter + :count::int
       where id = :workspaceId returning publish_counter
     ), numbered as (
       select id, row_number() over (order by id) as place from unnest(:contentIds::uuid[]) as ids(id)
     ), shown as (
       -- Other collections are looked at only now that the contents are locked.
       update contents t set sync_status = 'stale' from content_collections o
       where o.workspace_id = :workspaceId and o.content_id = any(:contentIds::uuid[]) and o.collection_id <> :collectionId
         and o.is_shared and o.stage <> 'deleting' and (o.filters_outdated or o.projecting)
         and t.id = o.content_id and ${ofCollection('t')} and t.sync_status = 'synced'
     )
     update content_collections cc set stage = 'ready', stage_message = null, active_version = cc.version,
       built_generation = case when cc.content_id = any(:builtIds::uuid[]) then :builtNumber::int end,
       built_version = case when cc.content_id = any(:builtIds::uuid[]) then cc.version end,
       indexed_chunks = cc.planned_chunks,
       chunk_count = cc.planned_chunks, active_text_sha256 = cc.text_sha256, active_text_key = cc.text_key,
       active_text_facts = nullif(cc.text_facts - 'file_data', '{}'), text_sha256 = null, text_key = null, text_facts = null,
       dead_attempts = 0, updated_at = now(),
       ${REMEMBER_VERSION},
       publish_seq = counter.publish_counter - :count::int + numbered.place
     from counter, numbered
     where cc.content_id = numbered.id and ${ofCollection('cc')} and cc.run_id = :runId`,
    {
      workspaceId: scope.workspaceId,
      ...run,
      count: run.contentIds.length,
      builtIds: built?.contentIds ?? [],
      builtNumber: built?.number ?? null,
    },
  );
}

export type PublicationStore = ReturnType<typeof createPublicationStore>;
