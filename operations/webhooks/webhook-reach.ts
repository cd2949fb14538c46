import { AppError } from '#domain/app-error.ts';
import { requirePermission, type Caller, type Permission } from '#domain/access/caller.ts';
import type { Webhook } from '#domain/records/webhook.ts';
import { reachesCollection } from '#domain/access/scope.ts';
import {
  isOfSingleContents,
  SUBSCRIBABLE_EVENT_TYPES,
  type WebhookEventType,
} from '#domain/webhooks/webhook-events.ts';

/**
 * A webhook tells nothing that whoever makes or changes it may not read itself.
 * @throws AppError `forbidden` naming what is missing.
 */
export function requireTold(caller: Caller, { events, collections }: Pick<Webhook, 'events' | 'collections'>): void {
  const told = events ?? SUBSCRIBABLE_EVENT_TYPES.filter((type) => !isOfSingleContents(type));
  for (const type of told) requireReadable(caller, type);
  const isWithin = collections === null ? caller.scope.collectionIds === null : collections.every(reaches(caller));
  if (!isWithin) {
    throw new AppError('forbidden', 'This webhook would tell of collections that you do not reach: name those you do.');
  }
}

/** What an event tells is for those who may read it. @throws AppError `forbidden` naming what is missing. */
export function requireReadable(caller: Caller, type: WebhookEventType): void {
  const permission = permissionFor(type);
  if (permission !== null) requirePermission(caller, permission);
}

/** The same for absent and foreign webhooks, and for those that tell of more than the caller reaches. */
export function webhookNotFound(): AppError {
  return new AppError('not_found', 'There is no such webhook, or you do not reach it.');
}

function reaches({ scope }: Caller) {
  // Whoever reaches all of them is looked at when they are looked up.
  return (id: string) => reachesCollection(scope, id);
}

function permissionFor(type: WebhookEventType): Permission | null {
  if (type.startsWith('content.')) return 'contents:read';
  if (type.startsWith('upload.')) return 'uploads:read';
  if (type.startsWith('compress.')) return 'compress:read';
  return type.startsWith('connection.') ? 'connections:read' : null;
}
