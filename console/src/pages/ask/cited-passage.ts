import type { Schemas } from '../../api/schemas.ts';
import type { Passage } from '../../components/passages/passage-drawer.tsx';

/** Returns a passage to be opened, with the sentences marked that the citations name. */
export function citedPassage(
  passage: Schemas['AnswerPassage'],
  citations: readonly Schemas['Citation'][],
  collection: string | undefined,
): Passage {
  const ranges = citations.flatMap(({ number, start, end }) =>
    number === passage.number && start !== null && end !== null ? [{ start, end }] : [],
  );
  return {
    source: passage.source,
    contentId: passage.content_id,
    chunkId: passage.chunk_id,
    collectionId: passage.collection_id,
    text: passage.content,
    ranges,
    page: passage.page,
    headings: passage.heading_path,
    collection,
  };
}
