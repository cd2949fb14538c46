import { AppError } from '#domain/app-error.ts';
import { holdsPermissions, requirePermission, type Caller, type Permission } from '#domain/access/caller.ts';
import type { Webhook } from '#domain/records/webhook.ts';
import { requireLastingGrant } from '#operations/access/api-key-limits.ts';
import type { Services } from '#operations/services.ts';
import { reachesCollection } from '#domain/access/scope.ts';
import {
  isContentEvent,
  SUBSCRIBABLE_EVENT_TYPES,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '#domain/webhooks/webhook-events.ts';

/**
 * Requires that the caller who creates or changes a webhook may read everything that the webhook will send.
 * @throws AppError `forbidden` that names the missing permission or collections.
 */
export function requireEventAccess(
  caller: Caller,
  { events, collections }: Pick<Webhook, 'events' | 'collections'>,
): void {
  for (const type of sentTypes(events)) requireEventPermission(caller, type);
  // Callers without a collection limit pass here; whether the collections exist is checked by `requireCollections`.
  const isWithin =
    collections === null
      ? caller.scope.collectionIds === null
      : collections.every((id) => reachesCollection(caller.scope, id));
  if (!isWithin) {
    throw new AppError(
      'forbidden',
      'This webhook would send events of collections that you have no access to. Set `collections` to those you can read.',
    );
  }
}

/**
 * Requires that the caller may grant what the webhook sends for as long as there is the webhook: it goes on when a key has expired,
 * and sends to everywhere.
 * @throws AppError `forbidden` for a key that expires, or that is valid from some addresses only.
 */
export async function requireLastingAccess(
  services: Services,
  caller: Caller,
  { events, collections }: Pick<Webhook, 'events' | 'collections'>,
): Promise<void> {
  await requireLastingGrant(services, caller, {
    permissions: sentTypes(events).flatMap((type) => permissionFor(type) ?? []),
    collections,
    problem:
      'An API key with `expires_at` or `ip_whitelist` cannot create or enable a webhook, change its URL, events or collections, or rotate ' +
      'its secret, because these limits do not hold for the webhook. Use a key without them.',
  });
}

function sentTypes(events: Webhook['events']): readonly WebhookEventType[] {
  return events ?? SUBSCRIBABLE_EVENT_TYPES.filter((type) => !isContentEvent(type));
}

/** Returns the types of events that the caller may read. */
export function readableEventTypes(caller: Caller): WebhookEventType[] {
  return WEBHOOK_EVENT_TYPES.filter((type) => {
    const permission = permissionFor(type);
    return permission === null || holdsPermissions(caller, [permission]);
  });
}

/** Requires the permission to read what events of this type report. @throws AppError `forbidden` that names the permission. */
export function requireEventPermission(caller: Caller, type: WebhookEventType): void {
  const permission = permissionFor(type);
  if (permission !== null) requirePermission(caller, permission);
}

/** The same error for webhooks that do not exist, belong to another workspace, or cover collections the caller cannot read. */
export function webhookNotFound(): AppError {
  return new AppError('not_found', 'There is no such webhook, or you have no access to it.');
}

function permissionFor(type: WebhookEventType): Permission | null {
  if (type.startsWith('content.')) return 'contents:read';
  if (type.startsWith('upload.')) return 'uploads:read';
  if (type.startsWith('compress.')) return 'compress:read';
  return type.startsWith('connection.') ? 'connections:read' : null;
}
