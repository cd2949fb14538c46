import type { Caller } from '#domain/access/caller.ts';
import { AppError } from '#domain/app-error.ts';
import type { CompressWork } from '#domain/compression/compressor.ts';
import { cutWindows } from '#domain/compression/cut-windows.ts';
import { reportCompression } from '#domain/compression/report-compression.ts';
import type { Compression, CompressRequest } from '#domain/records/compression.ts';
import { compressWindow } from './compress-window.ts';
import { planCompression } from './plan-compression.ts';
import { mapWindows } from './map-windows.ts';
import { compressionRatio } from './present-compression.ts';
import { describeCompression } from './describe-compression.ts';
import type { Services } from '#operations/services.ts';

type CompressCall = {
  body: CompressRequest;
  signal: AbortSignal;
  limitMs?: number;
  /** What to do with a text that is too long, and with one that takes too long. */
  remedies?: { size: string; time: string };
};

const AS_JOB = 'Send a webhook_url to compress the text as a job.';
const BY_JOB = { size: AS_JOB, time: AS_JOB };
/** Share of the time limit that the chat model has; the rest is for selecting sentences where it did not answer in time. */
const MODEL_SHARE = 0.5;

/**
 * Compresses a text within the request. Aborting `signal` stops the work. What the chat model has not rewritten in its part of the
 * time limit is compressed by selecting sentences.
 * @throws AppError `payload_too_large` for a text that needs a job, `dependency_unavailable` when the time limit is exceeded.
 */
export async function compressNow(
  services: Services,
  { scope }: Pick<Caller, 'scope'>,
  { body, signal, limitMs = Infinity, remedies = BY_JOB }: CompressCall,
): Promise<Compression> {
  const { maxBytes, timeoutMs: longestMs } = services.limits.compress;
  const timeoutMs = Math.min(longestMs, limitMs);
  if (Buffer.byteLength(body.content) > maxBytes) {
    throw new AppError('payload_too_large', `The text has more than ${maxBytes} bytes. ${remedies.size}`);
  }
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const modelDeadline = AbortSignal.timeout(Math.round(MODEL_SHARE * timeoutMs));
    const work = { workspaceId: scope.workspaceId, signal: AbortSignal.any([signal, deadline]) };
    return await compress(services, body, { ...work, modelDeadline });
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    const message = `Compressing took longer than ${timeoutMs / 1000} s. ${remedies.time}`;
    throw new AppError('dependency_unavailable', message, { cause: error });
  }
}

async function compress(
  services: Services,
  body: CompressRequest,
  { modelDeadline, ...work }: CompressWork & { modelDeadline: AbortSignal },
): Promise<Compression> {
  const compressor = services.compressors.forStrategy(body.strategy);
  const source = () => cutWindows([body.content], compressor.windowCharacters);
  const plan = await planCompression(services, { options: body, source }, work);
  const isWhole = plan.windows.length < 2;
  const results = await mapWindows(source, async (text, at) => {
    const window = { text, budgetTokens: plan.windows[at]?.budgetTokens ?? 0, query: plan.query, isWhole };
    return compressWindow(services, { compressor, window, onModelFailure: 'fall_back', modelDeadline }, work);
  });
  const content = results
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(compressor.joint);
  const reports = results.map(({ text, ...report }) => ({ ...report, characters: text.length }));
  const lengths = plan.windows.map(({ characters }) => characters);
  const report = reportCompression(reports, { tokens: plan.originalTokens, lengths });
  const compressed = { options: body, plan, report, compressedCharacters: content.length };
  return {
    job_id: null,
    status: 'completed',
    strategy: body.strategy,
    strategy_used: report.strategyUsed,
    content,
    original_tokens: plan.originalTokens,
    compressed_tokens: report.compressedTokens,
    ratio: compressionRatio(plan.originalTokens, report.compressedTokens),
    metadata: body.include_metadata ? describeCompression(services, compressed) : null,
  };
}
