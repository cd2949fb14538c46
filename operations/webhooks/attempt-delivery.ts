import { workspaceScope } from '#domain/access/scope.ts';
import {
  decideDelivery,
  describeDecision,
  isReceiverHealthy,
  type DeliveryDecision,
} from '#domain/webhooks/delivery-decision.ts';
import { decideCircuit, newCircuit, type CircuitDecision } from '#domain/webhooks/receiver-circuit.ts';
import { deliverToReceiverJob } from '#domain/webhooks/webhook-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { Stores } from '#store/stores.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import type { ClaimedDelivery } from '#store/webhooks/webhook-queue.ts';
import type { ReceiverRow } from '#store/webhooks/webhook-receivers.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { sendWakeUps } from '#operations/jobs/wake-ups.ts';
import { GONE_MESSAGE } from './end-overdue-deliveries.ts';
import { endOpenDeliveries } from './end-open-deliveries.ts';
import { sendMessage, type SendResult } from './send-message.ts';
import { signMessage } from './sign-message.ts';
import { wakeReceiver } from './wake-receiver.ts';
import { receiverLimits, type WebhookServices } from './webhook-services.ts';

/** A claimed delivery and how its attempt ended. */
type Attempt = { claimed: ClaimedDelivery; isProbe: boolean; result: SendResult; durationMs: number };
type Recorded = { decision: DeliveryDecision; jobs: readonly JobStart[]; wakeUps: readonly WakeUp[] };

/** The claim was made while the webhook still had a URL. */
const NO_URL: SendResult = { status: null, retryAfterS: null, error: 'The webhook is deleted or disabled.' };

const MOVED_MESSAGE = 'The URL changed while this was sent. It is sent to the new one.';

/**
 * Sends a claimed delivery and records the result, with what it means for the receiver. Returns the HTTP status, null without a
 * response. A message that cannot be signed is neither sent nor counted.
 */
export async function attemptDelivery(
  services: WebhookServices,
  claimed: ClaimedDelivery,
  { isProbe }: { isProbe: boolean },
): Promise<number | null> {
  const { url } = claimed;
  const signature = url === null ? null : await signMessage(services, claimed, { isProbe });
  if (url !== null && signature === null) return null;
  const startedMs = performance.now();
  const result = url === null || signature === null ? NO_URL : await sendMessage(services, claimed, { url, signature });
  const attempt = { claimed, isProbe, result, durationMs: performance.now() - startedMs };
  const { decision, jobs, wakeUps } = await services.stores.transaction((stores) =>
    recordAttempt({ ...services, stores }, attempt),
  );
  startWorkflows(services, jobs);
  sendWakeUps(services, wakeUps);
  services.metrics.countWebhookAttempt(statusAfter(decision), result.status);
  return result.status;
}

/** Whether an attempt failed at a URL that the webhook does not have any more, so that it says nothing about the one it has. */
async function hasMoved(stores: Stores, { claimed, result: { status } }: Attempt): Promise<boolean> {
  const { endpoint_id: id, url } = claimed;
  const isDelivered = status !== null && status >= 200 && status < 300;
  if (id === null || url === null || isDelivered) return false;
  const current = await stores.webhooks.lockUrl(workspaceScope(claimed), id);
  return current !== null && current !== url;
}

async function recordAtOldUrl(stores: Stores, { claimed, result: { status, error } }: Attempt): Promise<Recorded> {
  const result = { id: claimed.id, number: claimed.attempts, statusCode: status, error, message: MOVED_MESSAGE };
  await stores.webhookAttempts.finishAtOldUrl(workspaceScope(claimed), result);
  return { decision: { kind: 'again', waitMs: 0 }, jobs: [], wakeUps: [] };
}

/**
 * Records the result of an attempt in one transaction: of the delivery, of its receiver, and of its webhook if the answer was
 * 410. Locks the webhook, then the receiver, then deliveries, as all do.
 */
async function recordAttempt(services: WebhookServices, attempt: Attempt): Promise<Recorded> {
  const { claimed, result, isProbe } = attempt;
  const { stores } = services;
  const scope = workspaceScope(claimed);
  if (await hasMoved(stores, attempt)) return recordAtOldUrl(stores, attempt);
  if (result.status === 410) await disableGone(stores, claimed);
  const isHealthy = isReceiverHealthy(result);
  const limits = receiverLimits(services.webhooks);
  const before = isHealthy
    ? await stores.webhookReceivers.lock(scope, claimed.receiver_id)
    : await stores.webhookReceivers.lockOrAdd(scope, claimed.receiver_id, limits.maxSlots);
  const end = { deliveryId: claimed.id, isHealthy, isProbe, retryAfterS: result.retryAfterS, random: Math.random() };
  const next = decideCircuit(before ?? newCircuit(limits), end, limits);
  const counted = next.change === 'closes' && before ? await returnToLine(stores, claimed, before) : null;
  const isAnsweredProbe = isHealthy && isProbe;
  const attempts = (counted ?? claimed.round_attempts) + (isAnsweredProbe ? 1 : 0);
  const decision = decide(services, attempt, { next, attempts });
  const isCurrent = await stores.webhookAttempts.finish(scope, {
    id: claimed.id,
    number: claimed.attempts,
    statusCode: result.status,
    error: result.error,
    status: statusAfter(decision),
    message: describeDecision(decision, { attempts, isBroken: next.circuit.state === 'open' }),
    waitMs: decision.kind === 'again' ? decision.waitMs : 0,
    isUnhealthy: !isHealthy,
    isAnsweredProbe,
  });
  // The failure of an attempt that was given up says nothing about the receiver now; a success does.
  const changes = before !== null && (isCurrent || isHealthy);
  const others = changes ? await recordReceiver(stores, attempt, { before, next }) : { jobs: [], wakeUps: [] };
  return { decision, ...others };
}

/** The line of a receiver goes on where it stood when it broke. Returns the attempts of this delivery that count. */
async function returnToLine(
  stores: Stores,
  claimed: ClaimedDelivery,
  { failing_since: since }: ReceiverRow,
): Promise<number | null> {
  if (since === null) return null;
  const line = { since, currentId: claimed.id };
  return stores.webhookAttempts.returnToLine(workspaceScope(claimed), claimed.receiver_id, line);
}

function decide(
  services: WebhookServices,
  { claimed, result, durationMs }: Attempt,
  { next, attempts }: { next: CircuitDecision; attempts: number },
): DeliveryDecision {
  const { attemptDelaysMs } = services.webhooks;
  const { maxOutageMs, pauseMs } = receiverLimits(services.webhooks);
  const isBroken = next.circuit.state === 'open';
  const ownMaxAgeMs = claimed.max_age_seconds === null ? null : claimed.max_age_seconds * 1_000;
  return decideDelivery(result, {
    attempts,
    attemptDelaysMs,
    ageMs: claimed.age_ms + durationMs,
    maxAgeMs: ownMaxAgeMs ?? (isBroken ? maxOutageMs : null),
    brokenPauseMs: isBroken ? (next.pauseMs ?? pauseMs) : null,
    random: Math.random(),
  });
}

/** Stores the circuit. One that opens gets a workflow that probes it. */
async function recordReceiver(
  stores: Stores,
  { claimed, isProbe }: Attempt,
  { before, next }: { before: ReceiverRow; next: CircuitDecision },
): Promise<Pick<Recorded, 'jobs' | 'wakeUps'>> {
  const scope = workspaceScope(claimed);
  const { receiver_id, origin, id, attempts: number } = claimed;
  const outage = await stores.webhookReceivers.save(scope, { id: receiver_id, next, attempt: { id, number } });
  if (next.change === 'opens' && outage !== null) {
    const args = { workspace_id: claimed.workspace_id, receiver_id, outage, wait_ms: next.pauseMs ?? 0 };
    const job = deliverToReceiverJob(args, { origin });
    await stores.outbox.add(scope, [job]);
    return { jobs: [job], wakeUps: [] };
  }
  if (next.change !== 'closes' || before.outage === null || isProbe) return { jobs: [], wakeUps: [] };
  // The workflow sleeps until its next probe, which is not needed any more.
  return { jobs: [], wakeUps: await wakeReceiver(stores, scope, { receiver_id, outage: before.outage }) };
}

/** Disables the webhook of a delivery whose receiver answered 410, unless it is disabled or deleted by now. */
async function disableGone(stores: Stores, { endpoint_id: endpointId, url, id, ...claimed }: ClaimedDelivery) {
  if (endpointId === null || url === null) return;
  const scope = workspaceScope(claimed);
  if (!(await stores.webhooks.disableGone(scope, { id: endpointId, url }))) return;
  await endOpenDeliveries(stores, scope, { webhookId: endpointId, message: GONE_MESSAGE, exceptId: id });
}

function statusAfter({ kind }: DeliveryDecision): 'delivered' | 'failed' | 'retrying' {
  return kind === 'again' ? 'retrying' : kind;
}
