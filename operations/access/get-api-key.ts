import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { ApiKey } from '#domain/records/api-key.ts';
import type { Services } from '#operations/services.ts';

/** A key, without its secret. @throws AppError `not_found`. */
export async function getApiKey(services: Services, caller: Caller, id: string): Promise<ApiKey> {
  const found = await services.stores.apiKeys.find(caller.scope, id);
  if (!found) throw apiKeyNotFound();
  return found;
}

/** The same for absent and foreign keys, and for those that reach more than the caller does. */
export function apiKeyNotFound(): AppError {
  return new AppError('not_found', 'There is no such API key, or you do not reach it.');
}
