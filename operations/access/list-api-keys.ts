import { z } from 'zod';
import { validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodePosition } from '#domain/cursor.ts';
import type { ApiKeyList } from '#domain/records/api-key.ts';
import { paginate } from '#operations/paging.ts';
import type { Services } from '#operations/services.ts';

export type ListApiKeysQuery = {
  skip?: number | undefined;
  limit: number;
  page?: number | undefined;
  cursor?: string | undefined;
};

const BINDING = { list: 'api-keys', filters: {} };
/** Microseconds and id of the last row, and how many rows there were up to it. */
const Position = z.tuple([z.int(), z.uuid(), z.int().min(1)]);

/**
 * A page of the keys in reach, oldest first: behind a cursor, by number, or after so many. Answers how to go on in both ways.
 * @throws AppError `validation_failed` for a foreign cursor, or for more than one way at once.
 */
export async function listApiKeys(services: Services, caller: Caller, query: ListApiKeysQuery): Promise<ApiKeyList> {
  requireOneWay(query);
  const { limit } = query;
  const position = decodePosition(BINDING, query.cursor, Position);
  const after = position && { createdUs: position[0], id: position[1] };
  const skip = query.skip ?? ((query.page ?? 1) - 1) * limit;
  const { apiKeys } = services.stores;
  const [rows, totalCount] = await Promise.all([
    apiKeys.list(caller.scope, { after, skip, limit }),
    apiKeys.count(caller.scope),
  ]);
  const rowsBefore = position?.[2] ?? skip;
  const pageNumber = Math.floor(rowsBefore / limit) + 1;
  const { page, next } = paginate(rows, {
    limit,
    binding: BINDING,
    positionOf: (row) => [row.createdUs, row.apiKey.id, rowsBefore + limit],
  });
  return {
    data: page.map((row) => row.apiKey),
    total_count: totalCount,
    page: pageNumber,
    limit,
    // Behind a skip that is no number of whole pages, the next page by number would repeat some.
    next_page: next.has_more && rowsBefore % limit === 0 ? pageNumber + 1 : null,
    ...next,
  };
}

function requireOneWay({ skip, page, cursor }: ListApiKeysQuery): void {
  const given = Object.entries({ skip, page, cursor }).filter(([, value]) => value !== undefined);
  if (given.length <= 1) return;
  const msg = 'Send only one of skip, page and cursor';
  throw validationError(given.map(([name]) => ({ loc: ['query', name], msg, type: 'conflicting' })));
}
