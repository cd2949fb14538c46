import type { Caller } from '#domain/access/caller.ts';
import type { ChunkText } from '#store/contents/chunk-hits.ts';
import type { Services } from '#operations/services.ts';
import type { ChunkRow, VerifiedHit } from './verified-hit.ts';

type WithRow<One, Row> = Omit<One, 'row'> & { row: Row };

/** `onReplaced` is called when hits were replaced since they were verified: those are left out. */
type Read<One> = { hits: readonly One[]; onReplaced: () => void };

/** Reads what results show of the hits that do not have it yet. */
export function completeHits<One extends VerifiedHit>(
  services: Services,
  caller: Caller,
  asked: Read<One>,
): Promise<WithRow<One, ChunkRow>[]> {
  return withRows(asked, (ids) => services.stores.chunks.findPublished(caller.scope, ids));
}

/** Reads the texts of the hits that do not have them yet, as `completeHits` does, but nothing of their contents. */
export function readTexts<One extends VerifiedHit>(
  services: Services,
  caller: Caller,
  asked: Read<One>,
): Promise<WithRow<One, ChunkText>[]> {
  return withRows<One, ChunkText>(asked, (ids) => services.stores.chunks.findTexts(caller.scope, ids));
}

async function withRows<One extends VerifiedHit, Row extends ChunkText>(
  { hits, onReplaced }: Read<One>,
  read: (ids: readonly string[]) => Promise<(Row | ChunkRow)[]>,
): Promise<WithRow<One, Row | ChunkRow>[]> {
  const missing = hits.flatMap(({ row }) => (isComplete(row) ? [] : [row.id]));
  const byId = new Map((missing.length === 0 ? [] : await read(missing)).map((row) => [row.id, row]));
  const complete = hits.flatMap((hit) => {
    const row = isComplete(hit.row) ? hit.row : byId.get(hit.row.id);
    return row ? [{ ...hit, row }] : [];
  });
  if (complete.length < hits.length) onReplaced();
  return complete;
}

function isComplete(row: VerifiedHit['row']): row is ChunkRow {
  return 'content' in row;
}
