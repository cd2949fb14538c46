import { APICallError } from 'ai';
import { AppError } from '#domain/app-error.ts';
import { parseRetryAfterS } from '#domain/retry-after.ts';

const DEFAULT_RETRY_AFTER_S = 5;
/** A server that asks for more is asked again after this time. */
const MAX_RETRY_AFTER_S = 600;

/** Statuses that reject the texts themselves. */
const REJECTED: ReadonlySet<number> = new Set([400, 413, 422]);
const MISCONFIGURED: ReadonlySet<number> = new Set([401, 403, 404]);

/** Names of the settings of a server, as messages name them. */
export type ServerSettings = { address: string; key: string; dimensions: string };

/** Maps an error to an AppError. The message contains nothing of the server's response, which may echo the texts. */
export function toEmbeddingError(
  error: unknown,
  { baseUrl, settings }: { baseUrl: string; settings: ServerSettings },
): AppError {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (!APICallError.isInstance(error) || status === undefined) {
    const { host } = new URL(baseUrl);
    return embeddingUnavailable(`The embedding server at ${host} cannot be reached or returned no valid response.`, {
      cause: error,
    });
  }
  if (REJECTED.has(status)) {
    return new AppError('embedding_rejected', `The embedding server rejected the text (HTTP ${status}).`, {
      cause: error,
    });
  }
  if (MISCONFIGURED.has(status)) {
    const toCheck = status === 404 ? `${settings.address} and LOCI_EMBEDDER_MODEL` : settings.key;
    return embeddingUnavailable(`The embedding server answered HTTP ${status}: check ${toCheck}.`, { cause: error });
  }
  const header = error.responseHeaders?.['retry-after'];
  // 0 asks for nothing.
  const retryDelayS = parseRetryAfterS(header, { nowMs: Date.now(), maxS: MAX_RETRY_AFTER_S }) || null;
  return embeddingUnavailable(`The embedding server answered HTTP ${status}.`, { cause: error, retryDelayS });
}

export function embeddingUnavailable(
  message: string,
  options: { cause?: unknown; retryDelayS?: number | null } = {},
): AppError {
  return new AppError('dependency_unavailable', message, { retryAfterS: DEFAULT_RETRY_AFTER_S, ...options });
}
