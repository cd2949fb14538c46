import type { Readable } from 'node:stream';
import type { CompressArgs } from '#domain/compression/compression-jobs.ts';
import { cutWindows } from '#domain/compression/cut-windows.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import { planCompression as planText } from '#operations/compression/plan-compression.ts';
import type { WindowSource } from '#operations/compression/map-windows.ts';
import { hasEnded } from '#operations/compression/end-compression.ts';
import type { Services } from '#operations/services.ts';
import type { StepContext } from '#activities/step.ts';
import type { CompressionRow } from '#store/compression/compressions.ts';

/** Reads the text once and stores the plan of its windows. Returns their number; 0 when the job has ended. */
export async function planCompression(services: Services, args: CompressArgs, step: StepContext): Promise<number> {
  const scope = workspaceScope(args);
  const job = await services.stores.compressions.find(scope, args.job_id);
  if (!job || hasEnded(job)) return 0;
  if (job.windows_total !== null) return job.windows_total;
  const compressor = services.compressors.forStrategy(job.strategy);
  const { windowCharacters, joint } = compressor;
  const source = windowSource(services, scope, { ...job, window_characters: windowCharacters });
  const options = { ...job, query: job.asked_query };
  const work = { workspaceId: scope.workspaceId, signal: step.signal };
  const { windows, ...plan } = await planText(services, { options, source }, work);
  const planned = {
    query: plan.query,
    query_source: plan.querySource,
    original_tokens: plan.originalTokens,
    original_characters: plan.originalCharacters,
    planned_tokens: plan.targetTokens,
    compressor: compressor.strategy,
    window_characters: windowCharacters,
    joint,
    windows_total: windows.length,
  };
  await services.stores.compressions.plan(scope, args.job_id, { plan: planned, windows });
  return windows.length;
}

/** Opens the text of a job as the windows of its plan. */
export function windowSource(services: Services, scope: Scope, job: CompressionRow): WindowSource {
  return async function* windows() {
    const bytes = await services.blobs.open(scope.workspaceId, job.input_sha256);
    yield* cutWindows(decode(bytes), job.window_characters ?? Number.MAX_SAFE_INTEGER);
  };
}

async function* decode(bytes: Readable): AsyncGenerator<string> {
  // A byte order mark is kept: it belongs to the text.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const chunk of bytes) yield decoder.decode(chunk as Uint8Array, { stream: true }); // a stream of bytes
  yield decoder.decode();
}
