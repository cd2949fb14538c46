import type { Schemas } from '../../api/schemas.ts';
import type { TextRange } from '../../components/passages/marked-text.tsx';

/** A passage that a stored answer cites. */
export type CitedPlace = {
  number: number;
  chunkId: string;
  contentId: string;
  /** The cited sentence, in the text of the passage; null if none has words of the statement. */
  range: TextRange | null;
  /** Where the mark is in the answer. */
  at: number;
};

export type StoredAnswer = { isVerbatim: boolean; places: readonly CitedPlace[] };

/** Reads what Loci stores with an answer in a conversation. Programs may write anything there: null for what is none. */
export function storedAnswerOf({ role, meta_data: data }: Schemas['Message']): StoredAnswer | null {
  const { answer } = data;
  if (role !== 'assistant' || !isRecord(answer) || !Array.isArray(answer['citations'])) return null;
  return { isVerbatim: answer['method'] === 'sentences', places: answer['citations'].flatMap(placeOf) };
}

function placeOf(citation: unknown): CitedPlace[] {
  if (!isRecord(citation)) return [];
  const { number, at, chunk_id: chunkId, content_id: contentId, start, end } = citation;
  if (typeof number !== 'number' || typeof at !== 'number') return [];
  if (typeof chunkId !== 'string' || typeof contentId !== 'string') return [];
  const range = typeof start === 'number' && typeof end === 'number' ? { start, end } : null;
  return [{ number, at, chunkId, contentId, range }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
