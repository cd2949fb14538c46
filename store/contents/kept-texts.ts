import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';

/** Of an extracted text: its UTF-8 bytes, and page numbers with where they start. */
export type TextFacts = { bytes: number; pages: readonly (readonly [page: number, start: number])[] };

/** The text of a published version. */
export type KeptText = { content_id: string; text_sha256: string; text_facts: TextFacts };

/** Texts that were read before and are published somewhere. */
export function createKeptTextStore(database: Database) {
  return {
    /** Those of contents with these keys, from whichever collection. */
    find(scope: Scope, wanted: readonly { content_id: string; text_key: string }[]): Promise<KeptText[]> {
      if (wanted.length === 0) return Promise.resolve([]);
      return query<KeptText>(
        database,
        `select distinct on (cc.content_id) cc.content_id, cc.active_text_sha256 as text_sha256, cc.active_text_facts as text_facts
         from jsonb_to_recordset(:wanted::jsonb) as x(content_id uuid, text_key text)
         join content_collections cc on cc.content_id = x.content_id and cc.active_text_key = x.text_key
         where cc.workspace_id = :workspaceId and cc.active_text_sha256 is not null and cc.active_text_facts is not null
         order by cc.content_id, cc.collection_id`,
        { workspaceId: scope.workspaceId, wanted: JSON.stringify(wanted) },
      );
    },
  };
}

export type KeptTextStore = ReturnType<typeof createKeptTextStore>;
