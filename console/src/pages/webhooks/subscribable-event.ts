import type { Permission } from '../../api/permission.ts';
import type { Schemas } from '../../api/schemas.ts';
import type { Session } from '../../app/session.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';

/** Every type of event that can be delivered. */
export type EventType = Schemas['WebhookDelivery']['event_type'];
/** A type that a webhook can be told. */
export type SubscribableEvent = Exclude<EventType, 'webhook.test'>;

const EVENT_TYPES = Object.keys(webhooksTexts.event) as EventType[];
const SUBSCRIBABLE = EVENT_TYPES.filter((type): type is SubscribableEvent => type !== 'webhook.test');
/** What a webhook without a list of events is told. */
const STANDARD = SUBSCRIBABLE.filter((type) => !isContentEvent(type));

export function isContentEvent(type: EventType): boolean {
  return type.startsWith('content.');
}

const PERMISSIONS: Readonly<Record<EventType, readonly Permission[]>> = {
  'upload.completed': ['uploads:read'],
  'content.ready': ['contents:read'],
  'content.failed': ['contents:read'],
  'compress.completed': ['compress:read'],
  'compress.failed': ['compress:read'],
  'connection.expired': ['connections:read'],
  'connection.error': ['connections:read'],
  'webhook.test': [],
};

/** Whether the caller may read what events of this type report. */
export function mayReadEvent({ may }: Pick<Session, 'may'>, type: EventType): boolean {
  return may(...PERMISSIONS[type]);
}

/** The events that the caller may have sent to a webhook. */
export function grantableEvents(session: Pick<Session, 'may'>): SubscribableEvent[] {
  return SUBSCRIBABLE.filter((type) => mayReadEvent(session, type));
}

/** Whether the caller may read all that a webhook with these events is told; null stands for the standard ones. */
export function mayReadEvents(session: Pick<Session, 'may'>, events: readonly EventType[] | null): boolean {
  return (events ?? STANDARD).every((type) => mayReadEvent(session, type));
}
