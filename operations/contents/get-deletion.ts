import { AppError } from '#domain/app-error.ts';
import type { Principal } from '#domain/access/caller.ts';
import type { Deletion } from '#domain/records/deletion.ts';
import type { Services } from '#operations/services.ts';

/**
 * The receipt of a deletion, complete or under way. With a workspace goes everybody who could ask for it, but the operator.
 * @throws AppError `not_found`.
 */
export async function getDeletion({ stores }: Services, asker: Principal, id: string): Promise<Deletion> {
  const deletion =
    asker === 'administrator'
      ? await stores.workspaceDeletions.findReceipt(id)
      : await stores.deletions.find(asker.scope, id, asker.principal);
  if (!deletion) throw new AppError('not_found', 'There is no such deletion, or you do not reach it.');
  return deletion;
}
