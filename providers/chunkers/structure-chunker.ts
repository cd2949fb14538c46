import type { Chunker } from '#domain/chunking/chunker.ts';
import { planChunks } from '#domain/chunking/plan-chunks.ts';

/** Creates a chunker that splits by headings, paragraphs, lists, tables and code, then by sentences; see `planChunks`. */
export function createStructureChunker(): Chunker {
  return { name: 'structure', split: planChunks };
}
