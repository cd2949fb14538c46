import { AppError } from '#domain/app-error.ts';
import type { Principal } from '#domain/access/caller.ts';
import type { Deletion } from '#domain/records/deletion.ts';
import type { Services } from '#operations/services.ts';

/**
 * Returns the receipt of a deletion, completed or not. The administrator reads receipts of deleted workspaces, whose members and
 * keys no longer exist.
 * @throws AppError `not_found`.
 */
export async function getDeletion({ stores }: Services, principal: Principal, id: string): Promise<Deletion> {
  const deletion =
    principal === 'administrator'
      ? await stores.workspaceDeletions.findReceipt(id)
      : await stores.deletions.find(principal.scope, id, principal);
  if (!deletion)
    throw new AppError('not_found', 'The deletion does not exist, or your credentials do not give access to it.');
  return deletion;
}
