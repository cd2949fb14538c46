import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import { SUBSCRIBABLE_EVENT_TYPES } from '#domain/webhooks/webhook-events.ts';
import { CreatedAt, CreatedBy, Id, IsoTime, textField, UpdatedAt, WorkspaceId } from './fields.ts';

const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
const WEBHOOK_DISABLED_REASONS = ['request', 'gone'] as const;

const MAX_URL_CHARACTERS = 2_048;
const MAX_DESCRIPTION_CHARACTERS = 255;
const MAX_LISTED = 1000;
/** A hundred days: older deliveries have left the log. */
const MAX_AGE_SECONDS = 8_640_000;
const MAX_BATCH_SIZE = 200;
const DELIVERY_STATES = ['ok', 'failing'] as const;
/** The count of waiting deliveries of a webhook ends here. */
export const MAX_COUNTED_DELIVERIES = 1000;

/** URL of a receiver: http or https, without user name and password. Its network is checked when a delivery is sent. */
export const WebhookUrl = textField(MAX_URL_CHARACTERS, 1)
  .superRefine((text, context) => {
    const url = URL.parse(text);
    const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    if (!isUsable) {
      context.addIssue({
        code: 'custom',
        message:
          'Must be a complete http or https URL without user name and password, such as https://example.com/hook',
        params: { type: 'webhook_url_invalid' },
      });
    }
  })
  .meta({ format: 'uri', description: 'http or https URL to which events are sent.' });

const SubscribableEvent = z.enum(SUBSCRIBABLE_EVENT_TYPES);

/** A webhook in API responses. */
export const Webhook = z
  .object({
    id: Id.meta({ description: 'Id of the webhook.' }),
    workspace_id: WorkspaceId,
    url: z.string().meta({ description: 'URL of the receiver.' }),
    description: z.string().nullable().meta({ description: 'What the webhook is for, at most 255 characters.' }),
    events: z
      .array(SubscribableEvent)
      .nullable()
      .meta({ description: 'Events that are sent; null means every event except `content.*`.' }),
    collections: z
      .array(Id)
      .nullable()
      .meta({ description: 'Collections whose events are sent; null means every collection.' }),
    max_age_seconds: z
      .int()
      .nullable()
      .meta({ description: 'Deliveries that are older than this are dropped; null means that they are not.' }),
    batch_size: z.int().meta({
      description: 'Most `content.*` events in one message; 1 means that each is a message of its own, without a list.',
    }),
    status: z.enum(WEBHOOK_STATUSES).meta({ description: '`disabled`: nothing is sent.' }),
    disabled_reason: z
      .enum(WEBHOOK_DISABLED_REASONS)
      .nullable()
      .meta({ description: '`request`: a client disabled the webhook. `gone`: the receiver answered 410.' }),
    delivery_state: z.enum(DELIVERY_STATES).meta({
      description: '`failing`: attempts failed in a row; deliveries wait in order while one at a time is tried.',
    }),
    failing_since: IsoTime.nullable().meta({ description: 'Time since which no attempt succeeded; null while `ok`.' }),
    next_attempt_at: IsoTime.nullable().meta({
      description:
        'Nothing is sent before, because the receiver is failing, or asked for a pause with `Retry-After`; null otherwise.',
    }),
    pending_deliveries: z.int().meta({
      description: `Deliveries that wait or are being retried. At most ${MAX_COUNTED_DELIVERIES} are counted.`,
    }),
    secret: z.string().nullable().meta({
      description: 'Secret that signs the messages. Returned once, in the response that creates it; otherwise null.',
    }),
    previous_secret_expires_at: IsoTime.nullable().meta({
      description: 'Time until which messages are also signed with the previous secret.',
    }),
    created_by: CreatedBy,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

const events = z
  .array(SubscribableEvent)
  .min(1)
  .transform((list) => [...new Set(list)])
  .nullable()
  .meta({
    description:
      'Events to send; null, the default, means every event except `content.*`, which must be listed explicitly.',
  });
const collections = z
  .array(Id)
  .min(1)
  .max(MAX_LISTED)
  .transform((list) => [...new Set(list)])
  .nullable()
  .meta({
    description:
      'The only collections whose events are sent; null means every ' +
      'collection. Events without a collection are always sent.',
  });
const description = textField(MAX_DESCRIPTION_CHARACTERS).nullable();
const maxAgeSeconds = z
  .int()
  .min(1)
  .max(MAX_AGE_SECONDS)
  .nullable()
  .meta({
    description:
      'Drops deliveries that are older than this, in seconds: they end as `failed`. null, the default, keeps them until ' +
      'their attempts are used up.',
  });
const batchSize = z
  .int()
  .min(1)
  .max(MAX_BATCH_SIZE)
  .meta({
    description:
      'Largest number of `content.*` events in one message. From 2 on, their `data` is `{events: [{type, timestamp, data}, …]}`, ' +
      'with the events of contents that became ready, or failed, together; a message has about 64 KiB at most.',
  });

export const CreateWebhookRequest = z
  .strictObject({
    url: WebhookUrl,
    description: description.default(null).meta({ description: 'What the webhook is for, at most 255 characters.' }),
    events: events.default(null),
    collections: collections.optional(),
    max_age_seconds: maxAgeSeconds.default(null),
    batch_size: batchSize.default(1),
  })
  .meta({ id: 'CreateWebhookRequest' });
export type CreateWebhookRequest = z.infer<typeof CreateWebhookRequest>;

/** Fields that are absent stay unchanged. */
export const UpdateWebhookRequest = z
  .strictObject({
    url: WebhookUrl.optional(),
    description: description
      .optional()
      .meta({ description: 'What the webhook is for, at most 255 characters; null removes it.' }),
    events: events.optional(),
    collections: collections.optional(),
    max_age_seconds: maxAgeSeconds.optional(),
    batch_size: batchSize.optional(),
    status: z.enum(WEBHOOK_STATUSES).optional().meta({ description: '`disabled` ends open deliveries as `failed`.' }),
  })
  .meta({ id: 'UpdateWebhookRequest' });
export type UpdateWebhookRequest = z.infer<typeof UpdateWebhookRequest>;

export const WebhookList = cursorListOf(Webhook).meta({ id: 'WebhookList' });
export type WebhookList = z.infer<typeof WebhookList>;

/** The secret that signs messages to the `webhook_url` of a request. */
export const WorkspaceWebhookSecret = z
  .object({
    workspace_id: Id.meta({ description: 'Workspace whose secret this is.' }),
    secret: z.string().meta({ description: 'Secret that verifies the messages, as in Standard Webhooks.' }),
    previous_secret_expires_at: IsoTime.nullable().meta({
      description: 'Time until which messages are also signed with the previous secret.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'WorkspaceWebhookSecret' });
export type WorkspaceWebhookSecret = z.infer<typeof WorkspaceWebhookSecret>;
