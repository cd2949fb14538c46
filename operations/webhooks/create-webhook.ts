import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { CreateWebhookRequest, Webhook } from '#domain/records/webhook.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { requireCollections } from '#operations/access/api-key-limits.ts';
import type { Services } from '#operations/services.ts';
import { requireEventAccess, requireLastingAccess } from './webhook-access.ts';
import { newWebhookSecret } from './webhook-secrets.ts';

/** Per workspace: every event is matched against all of them. */
const MAX_WEBHOOKS = 100;

/**
 * Creates a webhook. Only this response holds its secret. When a caller whose access is limited to collections names none, the
 * webhook gets events of those collections.
 * @throws AppError `forbidden` for events that the caller may not read, and for a key that expires or is valid from some addresses
 *   only; `not_found` for a collection that does not exist; `conflict` when the workspace has reached the limit.
 */
export async function createWebhook(
  services: Services,
  caller: Caller,
  request: { body: CreateWebhookRequest; idempotency: Idempotency | null },
): Promise<Answer<Webhook>> {
  const { url, collections: requested, ...rest } = request.body;
  const { scope } = caller;
  const collections = requested === undefined ? scope.collectionIds && [...scope.collectionIds] : requested;
  return withIdempotency(services, caller, {
    route: 'POST /webhooks',
    idempotency: request.idempotency,
    effect: async (stores) => {
      if (requested) await requireCollections({ ...services, stores }, caller, requested);
      requireEventAccess(caller, { events: rest.events, collections });
      await requireLastingAccess({ ...services, stores }, caller, { events: rest.events, collections });
      if ((await stores.webhooks.countLocked(scope)) >= MAX_WEBHOOKS) {
        throw new AppError(
          'conflict',
          `A workspace has at most ${MAX_WEBHOOKS} webhooks. Delete one that is no longer used.`,
        );
      }
      const id = uuidv7();
      const { plain, sealed } = newWebhookSecret(services, scope, { webhookId: id });
      const record = { ...rest, id, url, origin: new URL(url).origin, collections };
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
