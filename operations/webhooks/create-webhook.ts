import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { CreateWebhookRequest, Webhook } from '#domain/records/webhook.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { requireCollections } from '#operations/access/api-key-limits.ts';
import type { Services } from '#operations/services.ts';
import { requireTold } from './webhook-reach.ts';
import { newWebhookSecret } from './webhook-secrets.ts';

/** Each event asks all of them. */
const MAX_WEBHOOKS = 100;

/**
 * Makes a webhook; its secret is in this answer and nowhere else. For a caller that is limited to collections it tells of those.
 * @throws AppError `forbidden` for events that the caller may not read, `not_found` for its collections, `conflict` when the
 *   workspace has as many as it can have.
 */
export async function createWebhook(
  services: Services,
  caller: Caller,
  request: { body: CreateWebhookRequest; idempotency: Idempotency | null },
): Promise<Answer<Webhook>> {
  const { url, description, events, collections: asked } = request.body;
  const { scope } = caller;
  const collections = asked === undefined ? scope.collectionIds && [...scope.collectionIds] : asked;
  return withIdempotency(services, caller, {
    route: 'POST /webhooks',
    idempotency: request.idempotency,
    effect: async (stores) => {
      if (asked) await requireCollections({ ...services, stores }, caller, asked);
      requireTold(caller, { events, collections });
      if ((await stores.webhooks.countLocked(scope)) >= MAX_WEBHOOKS) {
        throw new AppError(
          'conflict',
          `A workspace has at most ${MAX_WEBHOOKS} webhooks: delete one that is not used.`,
        );
      }
      const id = uuidv7();
      const { plain, sealed } = newWebhookSecret(services, scope, { webhookId: id });
      const record = { id, url, origin: new URL(url).origin, description, events, collections };
      const webhook = await stores.webhooks.insert(scope, {
        ...record,
        status: 'active',
        disabled_reason: null,
        sealedSecret: sealed,
        createdBy: caller.principal,
      });
      return { status: 201, body: { ...webhook, secret: plain } };
    },
  });
}
