import { AppError } from '#domain/app-error.ts';
import type { CompressedWindow, CompressionWindow, Compressor, CompressWork } from '#domain/compression/compressor.ts';
import type { Services } from '#operations/services.ts';

export type Compressing = Pick<Services, 'compressors' | 'log'>;

/** What to do when the chat model is unavailable: throw, so that the caller retries, or fall back to `extractive`. */
export type ModelFailure = 'throw' | 'fall_back';

/**
 * Compresses one window.
 * @throws AppError `dependency_unavailable` when the chat model is unavailable and `onModelFailure` is `throw`.
 */
export async function compressWindow(
  { compressors, log }: Compressing,
  {
    compressor,
    window,
    onModelFailure,
  }: { compressor: Compressor; window: CompressionWindow; onModelFailure: ModelFailure },
  work: CompressWork,
): Promise<CompressedWindow> {
  try {
    return await compressor.compress(window, work);
  } catch (error) {
    const isModelUnavailable =
      error instanceof AppError && error.code === 'dependency_unavailable' && !work.signal.aborted;
    if (!isModelUnavailable || compressor.strategy !== 'ai_compress' || onModelFailure === 'throw') throw error;
    log.warn({ error }, 'the chat model is unavailable; a text is compressed by extraction');
    return compressors.forStrategy('extractive').compress(window, work);
  }
}
