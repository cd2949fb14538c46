import { AppError } from '#domain/app-error.ts';
import { deliverWebhookJob, type AttemptOutcome } from '#domain/webhooks/webhook-jobs.ts';
import {
  decideDelivery,
  describeDecision,
  isReceiverWell,
  MAX_RETRY_AFTER_S,
  type ReceiverAnswer,
} from '#domain/webhooks/webhook-schedule.ts';
import type { Egress } from '#security/egress/egress.ts';
import { retryAfter, type FetchedResponse } from '#security/egress/fetched-response.ts';
import { signWebhook } from '#security/webhook-signature.ts';
import type { SendingRules, TakenDelivery } from '#store/webhooks/webhook-attempts.ts';
import type { Services } from '#operations/services.ts';
import { startJobs } from '#operations/jobs/start-jobs.ts';
import { secretsOf } from './webhook-secrets.ts';

export type WebhookSettings = {
  /** Before each attempt; as many as there are attempts. */
  waitsMs: readonly number[];
  /** Of one attempt, from its beginning to the status of the answer. */
  timeoutMs: number;
  /** How long the log has what is over. */
  keptDays: number;
};

/** What sending needs beside what operations have. */
export type WebhookServices = Services & { egress: Egress; webhooks: WebhookSettings };

type SentAnswer = ReceiverAnswer & { error: string | null };

/** What an answer says is its status; of the rest so much is read, so long, that an honest receiver is not cut off. */
const READ_BYTES = 16 * 1024;
const READ_MS = 1_000;
const GONE_MESSAGE = 'The receiver answered 410; the webhook is disabled.';
const NOWHERE = 'The webhook is deleted or disabled; nothing was sent.';
const LEAST_PAUSE_MS = 50;

/** How receivers are dealt with. One that fails costs a send at a time, and soon one a minute. */
export function sendingRules({ timeoutMs, waitsMs }: WebhookSettings): SendingRules {
  // As long as one delivery waits before its second attempt: 5 s, growing to a minute; sent all the same after 10 minutes.
  const pauseMs = Math.max(waitsMs[1] ?? 0, LEAST_PAUSE_MS);
  return {
    leaseMs: timeoutMs + 10_000,
    atOncePerOrigin: 4,
    failuresToOpen: 5,
    pauseMs,
    longestPauseMs: 12 * pauseMs,
    patienceMs: 120 * pauseMs,
  };
}

/** One more attempt for the workflow of a delivery, unless its receiver is left alone just now. */
export async function attemptOnceMore(
  services: WebhookServices,
  delivery: { workspace_id: string; delivery_id: string; round: number },
): Promise<AttemptOutcome> {
  const scope = { workspaceId: delivery.workspace_id, collectionIds: null };
  const { delivery_id: id, round } = delivery;
  const rules = sendingRules(services.webhooks);
  const taken = await services.stores.webhookAttempts.take(scope, { id, round }, rules);
  if (taken === null) return { status: 'over', attempts: 0, status_code: null, wait_ms: 0 };
  if ('id' in taken) return attemptDelivery(services, taken);
  // The longer it waits the more seldom it asks, so that a backlog of thousands asks little.
  const seldomMs = Math.min(Math.max(taken.waited_ms, rules.pauseMs), rules.patienceMs);
  const wait_ms = Math.round(Math.max(taken.busy_ms, seldomMs) * (1 + Math.random() / 4));
  return { status: 'busy', attempts: taken.round_attempts, status_code: null, wait_ms };
}

/** Sends a delivery that was taken, and writes down what came of it. */
export async function attemptDelivery(services: WebhookServices, taken: TakenDelivery): Promise<AttemptOutcome> {
  const attempts = taken.round_attempts;
  if (taken.url === null) {
    const result = { statusCode: null, error: NOWHERE, status: 'failed' as const, message: NOWHERE, waitMs: 0 };
    await write(services, taken, { ...result, isReceiverWell: null });
    return { status: 'failed', attempts, status_code: null, wait_ms: 0 };
  }
  const answer = await send(services, taken, taken.url);
  const { waitsMs } = services.webhooks;
  const decision = decideDelivery(answer, { attempts, waitsMs, random: Math.random() });
  const waitMs = decision.kind === 'again' ? decision.waitMs : 0;
  await write(services, taken, {
    statusCode: answer.status,
    error: answer.error,
    status: decision.kind === 'again' ? 'retrying' : decision.kind,
    message: describeDecision(decision, attempts),
    waitMs,
    isReceiverWell: isReceiverWell(answer),
    isGone: decision.kind === 'failed' && decision.reason === 'gone',
  });
  return { status: decision.kind, attempts, status_code: answer.status, wait_ms: waitMs };
}

async function send(services: WebhookServices, taken: TakenDelivery, url: string): Promise<SentAnswer> {
  const { timeoutMs } = services.webhooks;
  try {
    const message = { id: taken.id, body: taken.body, sentAt: services.clock.now() };
    const signed = signWebhook(message, await secretsOf(services, taken));
    const response = await services.egress.fetchTo(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body: taken.body,
      // Nothing of the answer is wanted but its status, however long it says it is.
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
    services.log.error({ error, workspace_id: taken.workspace_id }, 'a webhook could not be sent');
    return { status: null, retryAfterS: null, error: 'An unexpected error; the worker log has the details.' };
  }
}

async function drainResponse(response: FetchedResponse): Promise<void> {
  const timer = setTimeout(() => void response.discard(), READ_MS);
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      bytes += chunk.byteLength;
      if (bytes > READ_BYTES) break;
    }
  } catch {
    // Broken off, by them or by us: the status has come.
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
  isReceiverWell: boolean | null;
  isGone?: boolean;
};

/** With the first failure the workflow that goes on, with a 410 the end of the webhook: in the same transaction. */
async function write(services: WebhookServices, taken: TakenDelivery, result: Result): Promise<void> {
  const scope = { workspaceId: taken.workspace_id, collectionIds: null };
  const { isGone = false, ...rest } = result;
  const finished = { ...rest, id: taken.id, number: taken.attempts, origin: taken.origin };
  const { workspace_id, id: delivery_id, round, event_type, origin, endpoint_id: endpointId, url } = taken;
  const job = deliverWebhookJob({ workspace_id, delivery_id, round, wait_ms: result.waitMs }, { event_type, origin });
  const isHandedOn = await services.stores.transaction(async (stores) => {
    const rules = sendingRules(services.webhooks);
    // First the webhook, as whoever changes one does: else two that hear 410 at once wait for each other's delivery.
    if (isGone && endpointId !== null && url !== null) {
      const isDisabled = await stores.webhooks.disableGone(scope, { id: endpointId, url });
      const ending = { message: GONE_MESSAGE, butFor: delivery_id };
      if (isDisabled) await stores.webhookAttempts.endOpen(scope, endpointId, ending);
    }
    const isMine = await stores.webhookAttempts.finish(scope, finished, rules);
    const isFirst = isMine && result.status === 'retrying' && taken.status === 'pending';
    if (isFirst) await stores.outbox.add(scope, job);
    return isFirst;
  });
  if (isHandedOn) startJobs(services, scope, [job]);
  services.metrics.countWebhookAttempt(result.status, result.statusCode);
}
