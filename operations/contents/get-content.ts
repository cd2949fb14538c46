import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Content } from '#domain/records/content.ts';
import type { Services } from '#operations/services.ts';

/** A content in reach. Reading it counts as an access. @throws AppError `not_found`. */
export async function getContent(services: Services, caller: Caller, id: string): Promise<Content> {
  const content = await services.stores.contents.find(caller.scope, id);
  if (!content) throw contentNotFound();
  services.accesses.note(caller.scope, id);
  return content;
}

/** The same for absent, foreign, deleted and unreachable contents. */
export function contentNotFound(): AppError {
  return new AppError('not_found', 'There is no such content, or this key does not reach it.');
}
