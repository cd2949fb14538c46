import type { GoneContent } from '#store/archives/detach-entries.ts';
import { queryOne, type Database } from '#store/postgres.ts';

/** What a receipt counts of contents. `unlinked…`: whether or not others have the same contents and files. */
export type DeletionCounts = Record<
  'contents' | 'chunks' | 'indexObjects' | 'blobs' | 'unlinkedContents' | 'unlinkedBlobs',
  number
>;
export const NO_COUNTS: DeletionCounts = {
  contents: 0,
  chunks: 0,
  indexObjects: 0,
  blobs: 0,
  unlinkedContents: 0,
  unlinkedBlobs: 0,
};

/** Adds to the counts of contents of a receipt. */
export const ADD_CONTENTS = `contents = contents + :contents::int, blobs = blobs + :blobs::int,
  unlinked_contents = coalesce(unlinked_contents, contents) + :unlinkedContents::int,
  unlinked_blobs = coalesce(unlinked_blobs, blobs) + :unlinkedBlobs::int`;

/** A deleted row of a content. */
export type DeletedContent = GoneContent & { content_hash: string | null };

/** Returns how many contents were removed from a collection, and how many files they have. Ask before they are deleted. */
export async function countUnlinked(
  transaction: Database,
  workspaceId: string,
  links: readonly { content_id: string }[],
): Promise<{ unlinkedContents: number; unlinkedBlobs: number }> {
  const row = await queryOne<{ contents: number; blobs: number }>(
    transaction,
    `select count(*) as contents, count(distinct content_hash) as blobs from contents
     where workspace_id = :workspaceId and id = any(:contentIds::uuid[])`,
    { workspaceId, contentIds: links.map((link) => link.content_id) },
  );
  return { unlinkedContents: row?.contents ?? 0, unlinkedBlobs: row?.blobs ?? 0 };
}

/** Returns how many files of deleted contents no other content refers to. */
export async function countUnreferencedBlobs(
  transaction: Database,
  workspaceId: string,
  gone: readonly DeletedContent[],
): Promise<number> {
  const row = await queryOne<{ count: number }>(
    transaction,
    `select count(*) as count from blobs b where b.workspace_id = :workspaceId and b.sha256 = any(:hashes::text[])
       and not exists (select 1 from contents t where t.workspace_id = b.workspace_id and t.content_hash = b.sha256)`,
    { workspaceId, hashes: gone.flatMap((content) => content.content_hash ?? []) },
  );
  return row?.count ?? 0;
}
