import { workspaceScope } from '#domain/access/scope.ts';
import { createWebhookSignature, type WebhookSignature } from '#security/webhook-signature.ts';
import type { ClaimedDelivery } from '#store/webhooks/webhook-queue.ts';
import { openSigningSecrets } from './webhook-secrets.ts';
import { receiverLimits, type WebhookServices } from './webhook-services.ts';

/** What prevented the signature, such as a missing key, prevents that of the next message, too. */
const PAUSE_MS = 60_000;

/**
 * Signs the message of a claimed delivery. If that is not possible, nothing is known about the receiver: the claim is taken back
 * without an attempt, the receiver's deliveries wait for a minute, and the result is null.
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
    const { maxSlots: slots } = receiverLimits(services.webhooks);
    const scope = workspaceScope(claimed);
    await services.stores.transaction(async ({ webhookReceivers, webhookAttempts }) => {
      await webhookReceivers.postpone(scope, receiver_id, { pauseMs: PAUSE_MS, slots });
      await webhookAttempts.release(scope, { id, number: claimed.attempts, isProbe });
    });
    return null;
  }
}
