import { v5 as uuidv5 } from 'uuid';

/** Namespace of chunk ids; any UUID, fixed for ever. */
const NAMESPACE = '6a1c3c0e-52a1-4c0e-9b5a-0c7b8f0f7f11';

/** The id of a chunk: the same run of the same content gives the same ids, so that writing twice is writing once. */
export function chunkId(chunk: { collectionId: string; contentId: string; version: number; index: number }): string {
  return uuidv5(`${chunk.collectionId}/${chunk.contentId}/${chunk.version}/${chunk.index}`, NAMESPACE);
}

/** The heading that a chunk begins with, in Markdown. */
const OWN_HEADING = /^#{1,6}[ \t]+(.+?)[ \t]*#*(?:\n|$)/;

/**
 * What is embedded and indexed of a chunk: its text under the titles of the headings above it, which say what the text
 * is about where it does not say so itself. The heading that it begins with is not said twice.
 */
export function indexedText(chunk: { content: string; metadata: Record<string, unknown> }): string {
  const path = chunk.metadata['heading_path'];
  if (!Array.isArray(path)) return chunk.content;
  const own = OWN_HEADING.exec(chunk.content)?.[1];
  const above = own === path.at(-1) ? path.slice(0, -1) : path;
  return above.length === 0 ? chunk.content : `${above.join(' > ')}\n${chunk.content}`;
}
