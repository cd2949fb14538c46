import { APICallError } from 'ai';
import { AppError } from '#domain/app-error.ts';
import { readRefusal } from '#domain/server-refusal.ts';

const DEFAULT_RETRY_AFTER_S = 5;

/** Names of the settings of a server, as messages name them. */
export type ServerSettings = { address: string; key: string; dimensions: string; model: string };

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
  const refusal = { status, retryAfter: error.responseHeaders?.['retry-after'] };
  const { reason, retryDelayS } = readRefusal(refusal, Date.now());
  if (reason === 'rejected') {
    return new AppError('embedding_rejected', `The embedding server rejected the text (HTTP ${status}).`, {
      cause: error,
    });
  }
  if (reason === 'misconfigured') {
    const toCheck = status === 404 ? `${settings.address} and ${settings.model}` : settings.key;
    return embeddingUnavailable(`The embedding server answered HTTP ${status}: check ${toCheck}.`, { cause: error });
  }
  return embeddingUnavailable(`The embedding server answered HTTP ${status}.`, { cause: error, retryDelayS });
}

/**
 * Whether the server failed at what it was asked, as some do with texts that are too long, or that the model makes no numbers of: it
 * may do what others ask.
 */
export function mayComeFromTexts(error: unknown): boolean {
  return error instanceof AppError && APICallError.isInstance(error.cause) && error.cause.statusCode === 500;
}

/** Whether the texts may be too long for the server. */
export function mayBeTooLong(error: unknown): boolean {
  return (error instanceof AppError && error.code === 'embedding_rejected') || mayComeFromTexts(error);
}

export function embeddingUnavailable(
  message: string,
  options: { cause?: unknown; retryDelayS?: number | null } = {},
): AppError {
  return new AppError('dependency_unavailable', message, { retryAfterS: DEFAULT_RETRY_AFTER_S, ...options });
}
