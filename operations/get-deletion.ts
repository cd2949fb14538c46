import { AppError } from '../domain/app-error.ts';
import type { Caller } from '../domain/caller.ts';
import type { Deletion } from '../domain/records/deletion.ts';
import type { Services } from './services.ts';

/** The receipt of a deletion, complete or under way. @throws AppError `not_found`. */
export async function getDeletion(services: Services, caller: Caller, id: string): Promise<Deletion> {
  const deletion = await services.stores.deletions.find(caller.scope, id, caller.principal);
  if (!deletion) throw new AppError('not_found', 'There is no such deletion, or this key does not reach it.');
  return deletion;
}
