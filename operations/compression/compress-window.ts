import { AppError } from '#domain/app-error.ts';
import type { CompressedWindow, CompressionWindow, Compressor, CompressWork } from '#domain/compression/compressor.ts';
import type { Services } from '#operations/services.ts';

export type Compressing = Pick<Services, 'compressors' | 'log'>;

/** What to do when the chat model is unavailable: throw, so that the caller retries, or fall back to `extractive`. */
export type ModelFailure = 'throw' | 'fall_back';

type WindowCall = {
  compressor: Compressor;
  window: CompressionWindow;
  onModelFailure: ModelFailure;
  /** Once aborted, the chat model counts as unavailable and is not asked any more. */
  modelDeadline?: AbortSignal;
};

/**
 * Compresses one window.
 * @throws AppError `dependency_unavailable` when the chat model is unavailable and `onModelFailure` is `throw`.
 */
export async function compressWindow(
  { compressors, log }: Compressing,
  { compressor, window, onModelFailure, modelDeadline }: WindowCall,
  work: CompressWork,
): Promise<CompressedWindow> {
  if (compressor.strategy !== 'ai_compress') return compressor.compress(window, work);
  const extract = () => compressors.forStrategy('extractive').compress(window, work);
  if (modelDeadline?.aborted) return extract();
  const signal = modelDeadline === undefined ? work.signal : AbortSignal.any([work.signal, modelDeadline]);
  try {
    return await compressor.compress(window, { ...work, signal });
  } catch (error) {
    const isLate = modelDeadline?.aborted === true && error === modelDeadline.reason;
    const isModelUnavailable = isLate || (error instanceof AppError && error.code === 'dependency_unavailable');
    if (!isModelUnavailable || work.signal.aborted || onModelFailure === 'throw') throw error;
    log.warn({ error }, 'the chat model is unavailable; a text is compressed by extraction');
    return extract();
  }
}
