import type { Caller } from '#domain/access/caller.ts';
import { LISTED_DELETION_KINDS } from '#domain/deletion-kinds.ts';
import type { DeletionList } from '#domain/records/deletion.ts';
import { DELETION_STATUSES, type DeletionStatus } from '#domain/statuses.ts';
import { listNewest, type NewestQuery } from '#operations/list-newest.ts';
import type { Services } from '#operations/services.ts';

export type ListDeletionsQuery = NewestQuery & {
  kind?: (typeof LISTED_DELETION_KINDS)[number] | undefined;
  status?: DeletionStatus | undefined;
};

/** Returns a page of the receipts that the caller may read, newest first. @throws AppError `validation_failed` for a foreign cursor. */
export async function listDeletions(
  { stores }: Services,
  caller: Caller,
  { kind, status, ...query }: ListDeletionsQuery,
): Promise<DeletionList> {
  const binding = { list: 'deletions', filters: { kind, status } };
  const kinds = kind === undefined ? LISTED_DELETION_KINDS : [kind];
  const statuses = status === undefined ? DELETION_STATUSES : [status];
  const { page, next } = await listNewest(query, binding, async (asked) =>
    stores.deletions.list(caller.scope, caller, { kinds, statuses, page: asked }),
  );
  return { data: page.map(({ record }) => record), ...next };
}
