import { AppError } from '#domain/app-error.ts';
import { MAX_RETRY_AFTER_S, type ReceiverResponse } from '#domain/webhooks/delivery-decision.ts';
import { retryAfter, type FetchedResponse } from '#security/egress/fetched-response.ts';
import type { WebhookSignature } from '#security/webhook-signature.ts';
import type { ClaimedDelivery } from '#store/webhooks/webhook-queue.ts';
import type { WebhookServices } from './webhook-services.ts';

export type SendResult = ReceiverResponse & { error: string | null };

/**
 * Only the status of a response matters. At most this much of the body is read, for at most this long, so that a well-behaved
 * receiver does not see its connection reset.
 */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_BODY_MS = 1_000;

/** Sends the message of a delivery once, with its signature. Returns what went wrong instead of throwing. */
export async function sendMessage(
  services: WebhookServices,
  claimed: ClaimedDelivery,
  { url, signature }: { url: string; signature: WebhookSignature },
): Promise<SendResult> {
  const { timeoutMs } = services.webhooks;
  try {
    const response = await services.egress.fetchTo(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body: claimed.body,
      // Only the status counts, whatever Content-Length the response announces.
      maxBytes: Number.MAX_SAFE_INTEGER,
      decode: false,
      totalTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      maxRedirects: 0,
    });
    await drainResponse(response);
    const retryAfterS = retryAfter(response.headers['retry-after'], MAX_RETRY_AFTER_S);
    return { status: response.status, retryAfterS, error: null };
  } catch (error) {
    if (error instanceof AppError) return { status: null, retryAfterS: null, error: error.message };
    services.log.error({ error, workspace_id: claimed.workspace_id }, 'a webhook could not be sent');
    return { status: null, retryAfterS: null, error: 'An unexpected error; the worker log has the details.' };
  }
}

async function drainResponse(response: FetchedResponse): Promise<void> {
  const timer = setTimeout(() => void response.discard(), MAX_BODY_MS);
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) break;
    }
  } catch {
    // Either side closed the connection; the status has already arrived.
  } finally {
    clearTimeout(timer);
    await response.discard();
  }
}
