import type { Scope } from '#domain/access/scope.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, type Database } from '#store/postgres.ts';

/** UTF-8 bytes of an extracted text, and the character offset at which each page starts. */
export type TextFacts = { bytes: number; pages: readonly (readonly [page: number, start: number])[] };

/** The extracted text of a published version. */
export type KeptText = { content_id: string; text_sha256: string; text_facts: TextFacts };

/** A content that a collection already has. */
export type ExistingContent = {
  content_id: string;
  stage: ContentStatus;
  dedupe_key: string | null;
  external_id: string | null;
  name: string;
  type: string | null;
  size: number | null;
  content_hash: string | null;
  /** Null unless `source` is `url`. */
  url: string | null;
  description: string | null;
  metadata: Record<string, unknown>;
};

/** Keys by which an uploaded item is recognized as a content that exists. */
type ExistingKeys = { dedupeKeys: readonly string[]; externalIds: readonly string[] };

/**
 * Each key is looked up by itself, in a collection that the planner does not see: it would take one that statistics do not know
 * yet for one of a single row, and read it whole.
 */
const WITH_KEY = `select o.content_id from (
    select :collectionId::uuid as collection_id, key from unnest(:dedupeKeys::text[]) as keys(key) offset 0) given
  cross join lateral (select content_id from content_collections
    where collection_id = given.collection_id and dedupe_key = given.key offset 0) o
  union all select o.content_id from (
    select :collectionId::uuid as collection_id, key from unnest(:externalIds::text[]) as keys(key) offset 0) given
  cross join lateral (select content_id from content_collections
    where collection_id = given.collection_id and external_id = given.key offset 0) o`;

const HAS_KEY = `cc.content_id = any(array(${WITH_KEY})) and cc.workspace_id = :workspaceId and ${ofCollection('cc')}
  and cc.stage <> 'deleting' and (cc.dedupe_key = any(:dedupeKeys::text[]) or cc.external_id = any(:externalIds::text[]))`;

/** Looks up what already exists of the contents that are uploaded or ingested. */
export function createExistingContents(database: Database) {
  return {
    /** Returns the ids of the contents that `findForUpdate` finds, without locking them. */
    async findIds(scope: Scope, collectionId: string, keys: ExistingKeys): Promise<string[]> {
      const rows = await query<{ content_id: string }>(
        database,
        `select cc.content_id from content_collections cc where ${HAS_KEY}`,
        { workspaceId: scope.workspaceId, collectionId, ...keys },
      );
      return rows.map((row) => row.content_id);
    },

    /** Returns the contents of a collection that have one of these keys, and locks their runs. */
    findForUpdate(scope: Scope, collectionId: string, keys: ExistingKeys) {
      return query<ExistingContent>(
        database,
        `select cc.content_id, cc.stage, cc.dedupe_key, cc.external_id, t.name, t.type, t.size, t.content_hash, t.url,
           t.description, t.metadata
         from content_collections cc join contents t on t.id = cc.content_id
         where ${HAS_KEY} order by cc.content_id for update of cc`,
        { workspaceId: scope.workspaceId, collectionId, ...keys },
      );
    },

    /** Returns the texts of contents that were read before with the same `textKey` and are published, in any collection. */
    findKeptTexts(scope: Scope, wanted: readonly { content_id: string; text_key: string }[]): Promise<KeptText[]> {
      if (wanted.length === 0) return Promise.resolve([]);
      return query<KeptText>(
        database,
        `select distinct on (cc.content_id) cc.content_id, cc.active_text_sha256 as text_sha256,
           cc.active_text_facts as text_facts
         from jsonb_to_recordset(:wanted::jsonb) as x(content_id uuid, text_key text)
         join content_collections cc on cc.content_id = x.content_id and cc.active_text_key = x.text_key
         where cc.workspace_id = :workspaceId and cc.active_text_sha256 is not null and cc.active_text_facts is not null
         order by cc.content_id, cc.collection_id`,
        { workspaceId: scope.workspaceId, wanted: JSON.stringify(wanted) },
      );
    },
  };
}

export type ExistingContents = ReturnType<typeof createExistingContents>;
