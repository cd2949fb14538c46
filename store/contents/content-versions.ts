import type { Scope } from '#domain/access/scope.ts';
import type { ContentVersion } from '#domain/records/content.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { queryOne, type Database } from '#store/postgres.ts';

/** Earlier versions that a row keeps. */
const MAX_EARLIER = 19;

/** In the statement that publishes a version of the rows `cc`: what is remembered of it, and of the one that it replaces. */
export const REMEMBER_VERSION = `published_at = now(), published_upload_id = cc.upload_id,
  earlier_versions = case when cc.active_version is null or cc.active_version = cc.version then cc.earlier_versions else
    (jsonb_build_array(jsonb_build_object('version', cc.active_version,
      'published_at', floor(extract(epoch from cc.published_at)), 'replaced_at', floor(extract(epoch from now())),
      'upload_id', cc.published_upload_id, 'chunks', cc.chunk_count, 'text_sha256', cc.active_text_sha256))
      || coalesce(cc.earlier_versions, '[]')) - ${MAX_EARLIER} end`;

/** Returns the versions of a content in a collection, newest first; null when they are not in scope. */
export async function listContentVersions(
  database: Database,
  scope: Scope,
  place: { contentId: string; collectionId: string },
): Promise<ContentVersion[] | null> {
  const row = await queryOne<{ present: ContentVersion | null; earlier: ContentVersion[] }>(
    database,
    `select case when cc.active_version is not null then jsonb_build_object('version', cc.active_version,
        'published_at', floor(extract(epoch from cc.published_at)), 'replaced_at', null,
        'upload_id', cc.published_upload_id, 'chunks', cc.chunk_count, 'text_sha256', cc.active_text_sha256) end as present,
       coalesce(cc.earlier_versions, '[]') as earlier
     from content_collections cc
     where cc.workspace_id = :workspaceId and cc.content_id = :contentId and cc.collection_id = :collectionId
       and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
       and ${notDeleting('cc.collection_id')}`,
    { ...scope, ...place },
  );
  if (row === null) return null;
  return row.present === null ? row.earlier : [row.present, ...row.earlier];
}
