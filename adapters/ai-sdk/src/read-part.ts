import { dataOf, type LociClient } from '@loci/client';

/** A part of a text. `next` is the offset of what follows, null at the end. */
export type ReadPart = { text: string; next: number | null };

/** Largest part that the service returns at once. */
const MAX_LIMIT = 10_000_000;
/** One tells whether more follows. The service leaves out halves of characters, of which there may be one at each end. */
const MORE = 3;

/** Reads a part of the text of a content, and no more than that. It ends with a whole character. */
export async function readPart(
  loci: LociClient,
  asked: { contentId: string; offset: number; characters: number; signal?: AbortSignal },
): Promise<ReadPart> {
  const { contentId, offset, characters: wanted, ...how } = asked;
  const characters = Math.min(wanted, MAX_LIMIT - MORE);
  const params = { path: { content_id: contentId }, query: { offset, limit: characters + MORE } };
  const request = { params, parseAs: 'text' as const, ...how };
  // A body without bytes, beyond the end of the text, is no data.
  const text: string = (await dataOf(loci.api.GET('/api/v1/contents/{content_id}/text', request))) ?? '';
  const isCut = /[\uD800-\uDBFF]/.test(text.charAt(characters - 1));
  const end = isCut ? characters + 1 : characters;
  return { text: text.slice(0, end), next: end < text.length ? offset + end : null };
}
