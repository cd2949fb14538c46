import { workspaceScope } from '#domain/access/scope.ts';
import { createWebhookSignature, type WebhookSignature } from '#security/webhook-signature.ts';
import type { ClaimedDelivery } from '#store/webhooks/webhook-queue.ts';
import { openSigningSecrets } from './webhook-secrets.ts';
import { receiverLimits, type WebhookServices } from './webhook-services.ts';

/** What prevented the signature, such as a missing key, prevents that of the next message, too. */
const PAUSE_MS = 60_000;
const MAX_ENDED = 1_000;
const UNSIGNED_MESSAGE =
  'The message could not be signed, and the time for attempts is over. Ask the operator to restore the missing key in ' +
  'LOCI_SECRET_KEYS, or rotate the secret of the webhook; then redeliver the message.';

/**
 * Signs the message of a claimed delivery. If that is not possible, nothing is known about the receiver: the claim is taken back
 * without an attempt, the receiver's deliveries wait for a minute, and the result is null. Those that have waited for as long as
 * for a broken receiver end.
 */
export async function signMessage(
  services: WebhookServices,
  claimed: ClaimedDelivery,
  { isProbe }: { isProbe: boolean },
): Promise<WebhookSignature | null> {
  const { id, body, workspace_id, receiver_id } = claimed;
  try {
    const secrets = await openSigningSecrets(services, claimed);
    return createWebhookSignature({ id, body, sentAt: services.clock.now() }, secrets);
  } catch (error) {
    services.log.error({ error, workspace_id, delivery_id: id }, 'a webhook message could not be signed; trying later');
    const { maxSlots: slots, maxOutageMs: minAgeMs } = receiverLimits(services.webhooks);
    const scope = workspaceScope(claimed);
    await services.stores.transaction(async ({ webhookReceivers, webhookAttempts }) => {
      await webhookReceivers.postpone(scope, receiver_id, { pauseMs: PAUSE_MS, slots });
      await webhookAttempts.release(scope, { id, number: claimed.attempts, isProbe });
      const ending = { message: UNSIGNED_MESSAGE, maxCount: MAX_ENDED, minAgeMs };
      const count = await webhookAttempts.endOpen(scope, receiver_id, ending);
      if (count > 0) services.log.warn({ workspace_id, count }, 'webhook deliveries that cannot be signed were ended');
    });
    return null;
  }
}
