import { UNSTRUCTURED_STRATEGIES } from '#providers/readers/external/unstructured-reader.ts';
import { EMAIL, IMAGE_TYPES, isTextual, RTF } from '#providers/readers/shared/media-types.ts';

/** The time limit for which the budgets below are stated; another limit scales them. */
const REFERENCE_TIMEOUT_MS = 300_000;
const MIB = 1024 * 1024;
const PDF = 'application/pdf';

/**
 * A part that does not depend on the size, such as loading a parser, and a part for each MiB. Ten times what the slowest honest
 * documents took: 0.6 s for the first one of a process, 0.9 s for a MiB of HTML, 5 s for a MiB of Word, which is five times as much
 * XML.
 */
const TEXT = { baseMs: 10_000, perMibMs: 10_000 };
const PACKED = { baseMs: 10_000, perMibMs: 50_000 };

type Kind = { mediaType: string; reader?: string };

/**
 * Returns the processor time that a document may take, in milliseconds, by its size in bytes. It is never more than the time
 * limit. A page of a PDF may be an image, whose recognition takes seconds whatever its size is and stops by itself: PDFs and
 * images may use the whole time limit. Of a document that a server has read, only its response is parsed.
 */
export function cpuBudget({ mediaType, reader = 'native' }: Kind, timeoutMs: number): (sizeBytes: number) => number {
  const isResponse = UNSTRUCTURED_STRATEGIES.has(reader);
  if (!isResponse && (mediaType === PDF || IMAGE_TYPES.includes(mediaType))) return () => timeoutMs;
  const isText = isResponse || isTextual(mediaType) || mediaType === RTF || mediaType === EMAIL;
  const { baseMs, perMibMs } = isText ? TEXT : PACKED;
  const scale = timeoutMs / REFERENCE_TIMEOUT_MS;
  return (sizeBytes) => Math.min(timeoutMs, Math.round(scale * (baseMs + perMibMs * (sizeBytes / MIB))));
}
