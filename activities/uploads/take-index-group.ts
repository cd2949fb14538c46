/** A content whose chunk rows are written. `isRepeated`: it may be in the index already. */
export type ReadyToIndex = { content_id: string; chunks: number; isRepeated: boolean };

/**
 * Removes the smallest contents from those that wait, and returns them: as many as have no more than `maxChunks` chunks together,
 * at least one. All of them are repeated, or none is. Small ones first lets the progress of an upload move early; a large one waits
 * no longer than for the rest of its batch.
 */
export function takeIndexGroup(
  waiting: ReadyToIndex[],
  maxChunks: number,
): { contentIds: string[]; isRepeated: boolean } {
  waiting.sort((a, b) => Number(a.isRepeated) - Number(b.isRepeated) || a.chunks - b.chunks);
  const isRepeated = waiting[0]?.isRepeated ?? false;
  let chunks = 0;
  const end = waiting.findIndex((next, place) => {
    chunks += next.chunks;
    return place > 0 && (chunks > maxChunks || next.isRepeated !== isRepeated);
  });
  const group = waiting.splice(0, end === -1 ? waiting.length : end);
  return { contentIds: group.map((content) => content.content_id), isRepeated };
}
