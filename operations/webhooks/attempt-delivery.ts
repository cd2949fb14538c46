import { AppError } from '#domain/app-error.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import { deliverWebhookJob, type AttemptOutcome } from '#domain/webhooks/webhook-jobs.ts';
import {
  decideDelivery,
  describeDecision,
  isReceiverHealthy,
  MAX_RETRY_AFTER_S,
  type ReceiverResponse,
} from '#domain/webhooks/delivery-decision.ts';
import type { Egress } from '#security/egress/egress.ts';
import { retryAfter, type FetchedResponse } from '#security/egress/fetched-response.ts';
import { createWebhookSignature } from '#security/webhook-signature.ts';
import type { ClaimedDelivery, ReceiverLimits } from '#store/webhooks/webhook-queue.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { openSigningSecrets } from './webhook-secrets.ts';

export type WebhookSettings = {
  /** Delay before each attempt, the first included; as many as there are attempts. */
  attemptDelaysMs: readonly number[];
  /** Limit of one attempt, from its start to the status line of the response. */
  timeoutMs: number;
  /** How long finished deliveries stay in the log. */
  logRetentionDays: number;
};

/** What sending webhooks requires in addition to the services of all operations. */
export type WebhookServices = Services & { egress: Egress; webhooks: WebhookSettings };

type SendResult = ReceiverResponse & { error: string | null };

/**
 * Only the status of a response matters. At most this much of the body is read, for at most this long, so that a well-behaved
 * receiver does not see its connection reset.
 */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_BODY_MS = 1_000;
const GONE_MESSAGE = 'The receiver answered 410; the webhook is disabled.';
const NO_URL_MESSAGE = 'The webhook is deleted or disabled; nothing was sent.';
const MIN_PAUSE_MS = 50;

/** Returns the limits for every receiver. One that keeps failing gets one delivery at a time, with pauses of up to a minute. */
export function receiverLimits({ timeoutMs, attemptDelaysMs }: WebhookSettings): ReceiverLimits {
  // The first pause is the delay before a second attempt: 5 s by default. It doubles up to 1 minute; after 10 minutes a delivery
  // is sent in spite of the pause.
  const pauseMs = Math.max(attemptDelaysMs[1] ?? 0, MIN_PAUSE_MS);
  return {
    leaseMs: timeoutMs + 10_000,
    maxConcurrentPerOrigin: 4,
    failuresBeforePause: 5,
    pauseMs,
    maxPauseMs: 12 * pauseMs,
    maxDeferralMs: 120 * pauseMs,
  };
}

/** Makes one more attempt on behalf of the `deliverWebhook` workflow; returns `busy` while the receiver is at its limits. */
export async function retryDelivery(
  services: WebhookServices,
  delivery: { workspace_id: string; delivery_id: string; round: number },
): Promise<AttemptOutcome> {
  const scope = workspaceScope(delivery);
  const { delivery_id: id, round } = delivery;
  const limits = receiverLimits(services.webhooks);
  const claimed = await services.stores.webhookQueue.claim(scope, { id, round }, limits);
  if (claimed === null) return { status: 'over', attempts: 0, status_code: null, wait_ms: 0 };
  if ('id' in claimed) return attemptDelivery(services, claimed);
  // The interval grows with the time waited, so that a backlog of thousands of deliveries polls rarely.
  const intervalMs = Math.min(Math.max(claimed.waited_ms, limits.pauseMs), limits.maxDeferralMs);
  const wait_ms = Math.round(Math.max(claimed.busy_ms, intervalMs) * (1 + Math.random() / 4));
  return { status: 'busy', attempts: claimed.round_attempts, status_code: null, wait_ms };
}

/** Sends a claimed delivery and records the result. */
export async function attemptDelivery(services: WebhookServices, claimed: ClaimedDelivery): Promise<AttemptOutcome> {
  const attempts = claimed.round_attempts;
  if (claimed.url === null) {
    const result = { statusCode: null, error: NO_URL_MESSAGE, status: 'failed' as const, message: NO_URL_MESSAGE };
    await recordResult(services, claimed, { ...result, waitMs: 0, isReceiverHealthy: null });
    return { status: 'failed', attempts, status_code: null, wait_ms: 0 };
  }
  const response = await send(services, claimed, claimed.url);
  const { attemptDelaysMs } = services.webhooks;
  const decision = decideDelivery(response, { attempts, attemptDelaysMs, random: Math.random() });
  const waitMs = decision.kind === 'again' ? decision.waitMs : 0;
  await recordResult(services, claimed, {
    statusCode: response.status,
    error: response.error,
    status: decision.kind === 'again' ? 'retrying' : decision.kind,
    message: describeDecision(decision, attempts),
    waitMs,
    isReceiverHealthy: isReceiverHealthy(response),
    isGone: decision.kind === 'failed' && decision.reason === 'gone',
  });
  return { status: decision.kind, attempts, status_code: response.status, wait_ms: waitMs };
}

async function send(services: WebhookServices, claimed: ClaimedDelivery, url: string): Promise<SendResult> {
  const { timeoutMs } = services.webhooks;
  try {
    const message = { id: claimed.id, body: claimed.body, sentAt: services.clock.now() };
    const signature = createWebhookSignature(message, await openSigningSecrets(services, claimed));
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

type Result = {
  statusCode: number | null;
  error: string | null;
  status: 'delivered' | 'failed' | 'retrying';
  message: string | null;
  waitMs: number;
  isReceiverHealthy: boolean | null;
  isGone?: boolean;
};

/**
 * Records the result of an attempt. The same transaction adds the workflow that retries (after the first failure) and disables
 * the webhook (after a 410).
 */
async function recordResult(services: WebhookServices, claimed: ClaimedDelivery, result: Result): Promise<void> {
  const scope = workspaceScope(claimed);
  const { isGone = false, ...rest } = result;
  const finished = { ...rest, id: claimed.id, number: claimed.attempts, origin: claimed.origin };
  const { workspace_id, id: delivery_id, round, event_type, origin, endpoint_id: endpointId, url } = claimed;
  const job = deliverWebhookJob({ workspace_id, delivery_id, round, wait_ms: result.waitMs }, { event_type, origin });
  const isHandedToWorkflow = await services.stores.transaction(async (stores) => {
    // The webhook is locked before its deliveries, as in updateWebhook: two attempts that receive 410 at once would deadlock.
    if (isGone && endpointId !== null && url !== null) {
      const isDisabled = await stores.webhooks.disableGone(scope, { id: endpointId, url });
      const ending = { message: GONE_MESSAGE, exceptId: delivery_id };
      if (isDisabled) await stores.webhookAttempts.endOpen(scope, endpointId, ending);
    }
    const isCurrent = await stores.webhookAttempts.finish(scope, finished, receiverLimits(services.webhooks));
    const isFirstFailure = isCurrent && result.status === 'retrying' && claimed.status === 'pending';
    if (isFirstFailure) await stores.outbox.add(scope, [job]);
    return isFirstFailure;
  });
  if (isHandedToWorkflow) startWorkflows(services, scope, [job]);
  services.metrics.countWebhookAttempt(result.status, result.statusCode);
}
