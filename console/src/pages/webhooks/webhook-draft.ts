import type { Schemas } from '../../api/schemas.ts';
import { isContentEvent, type SubscribableEvent } from './subscribable-event.ts';
import type { WebhookFields } from './use-webhooks.ts';

/** A webhook as it is being filled in. */
export type WebhookDraft = {
  url: string;
  description: string;
  kind: 'everything' | 'chosen';
  events: SubscribableEvent[];
  collections: string[];
  /** Seconds, or `never`. */
  maxAge: string;
  batchSize: number;
};

/** Returns the webhook as it is, or an empty one. */
export function draftOf(webhook: Schemas['Webhook'] | null, mayEverything: boolean): WebhookDraft {
  const isStandard = webhook === null ? mayEverything : webhook.events === null;
  return {
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    kind: isStandard ? 'everything' : 'chosen',
    events: webhook?.events ?? [],
    collections: webhook?.collections ?? [],
    maxAge: String(webhook?.max_age_seconds ?? 'never'),
    batchSize: webhook?.batch_size ?? 1,
  };
}

/** Returns what is sent to the API. A caller who reaches some collections only has no webhooks of others. */
export function bodyOf(draft: WebhookDraft, reachable: string[] | null): WebhookFields {
  const { url, description, kind, events, collections, maxAge, batchSize } = draft;
  return {
    url: url.trim(),
    description: description.trim() === '' ? null : description.trim(),
    events: kind === 'everything' ? null : events,
    collections: collections.length === 0 ? reachable : collections,
    max_age_seconds: maxAge === 'never' ? null : Number(maxAge),
    batch_size: tellsContents(draft) ? batchSize : 1,
  };
}

/** Whether events of single contents are sent, of which several fit in a message. */
export function tellsContents({ kind, events }: WebhookDraft): boolean {
  return kind === 'chosen' && events.some(isContentEvent);
}
