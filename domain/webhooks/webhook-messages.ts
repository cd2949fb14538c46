import { z } from 'zod';
import { Compression } from '#domain/records/compression.ts';
import { Id, IsoTime } from '#domain/records/fields.ts';
import { UploadProgress } from '#domain/records/upload.ts';
import type { WebhookEventType } from './webhook-events.ts';

/** The messages that webhooks receive, as they are sent. */

const Timestamp = IsoTime.meta({ description: 'Time of the event, ISO 8601 in UTC.' });
const Collection = Id.meta({ description: 'Collection that the event belongs to.' });

function messageOf<Type extends WebhookEventType, Data extends z.ZodObject>(type: Type, data: Data) {
  return z.object({ type: z.literal(type).meta({ description: 'Type of the event.' }), timestamp: Timestamp, data });
}

const UploadCompletedEvent = messageOf(
  'upload.completed',
  z
    .object({
      upload_id: Id.meta({ description: 'Upload that has no more work to do.' }),
      collection_id: Collection,
      status: UploadProgress.shape.status,
      total_uploads: UploadProgress.shape.total_uploads,
      failed_uploads: UploadProgress.shape.failed_uploads,
      progress: UploadProgress.shape.progress,
    })
    .meta({ description: 'The upload, as `GET /uploads/{upload_id}` shows it.' }),
).meta({ id: 'UploadCompletedEvent' });

const ENDED_CONTENT = {
  content_id: Id.meta({ description: 'Content that the event is about.' }),
  collection_id: Collection,
  upload_id: Id.nullable().meta({ description: 'Upload that brought the content; null for none.' }),
  name: z.string().meta({ description: 'File name, URL or label of the content.' }),
  external_id: z.string().nullable().meta({ description: 'Id that a client gave the content; null for none.' }),
};

const ContentReadyEvent = messageOf(
  'content.ready',
  z
    .object({
      ...ENDED_CONTENT,
      status: z.literal('ready').meta({ description: 'Status of the content.' }),
      chunks: z.int().meta({ description: 'Number of its chunks, which searches find.' }),
    })
    .meta({ description: 'The content that is searchable, or whose new version is.' }),
).meta({ id: 'ContentReadyEvent' });

const ContentFailedEvent = messageOf(
  'content.failed',
  z
    .object({
      ...ENDED_CONTENT,
      status: z.literal('failed').meta({ description: 'Status of the content.' }),
      code: z.string().meta({ description: 'Why the ingestion failed, for programs: an error code.' }),
      message: z.string().meta({ description: 'Why it failed and what to do, for people.' }),
    })
    .meta({ description: 'The content that could not be ingested.' }),
).meta({ id: 'ContentFailedEvent' });

/** What a webhook with a `batch_size` over 1 receives instead of single events of contents. */
const ContentReadyEvents = messageOf(
  'content.ready',
  z
    .object({ events: z.array(ContentReadyEvent).meta({ description: 'The events, each like a message of its own.' }) })
    .meta({ description: 'The contents that became searchable together.' }),
).meta({ id: 'ContentReadyEvents' });

const ContentFailedEvents = messageOf(
  'content.failed',
  z
    .object({
      events: z.array(ContentFailedEvent).meta({ description: 'The events, each like a message of its own.' }),
    })
    .meta({ description: 'The contents that failed together.' }),
).meta({ id: 'ContentFailedEvents' });

const CONNECTION = {
  connection_id: Id.meta({ description: 'Connection whose credentials no longer work.' }),
  integration: z.string().meta({ description: 'Name of its integration, such as `github`.' }),
  user_id: z.string().nullable().meta({ description: 'User to whom it belongs; null for the workspace.' }),
  reason: z.string().meta({ description: 'Why the refresh failed, for programs, such as `invalid_grant`.' }),
};

const ConnectionExpiredEvent = messageOf(
  'connection.expired',
  z
    .object({ ...CONNECTION, status: z.literal('expired').meta({ description: 'Status of the connection.' }) })
    .meta({ description: 'The connection that must be authorized again.' }),
).meta({ id: 'ConnectionExpiredEvent' });

const ConnectionErrorEvent = messageOf(
  'connection.error',
  z
    .object({ ...CONNECTION, status: z.literal('error').meta({ description: 'Status of the connection.' }) })
    .meta({ description: 'The connection whose refresh keeps failing.' }),
).meta({ id: 'ConnectionErrorEvent' });

const EndedCompression = Compression.extend({
  content: z.string().nullable().meta({ description: 'The compressed text; null over 16 KiB: get it by `job_id`.' }),
});

const CompressionCompletedEvent = messageOf(
  'compress.completed',
  EndedCompression.meta({ description: 'The job and its result.' }),
).meta({ id: 'CompressionCompletedEvent' });

const CompressionFailedEvent = messageOf(
  'compress.failed',
  EndedCompression.extend({
    error: z
      .object({
        code: z.string().meta({ description: '`cancelled`, or an error code: what went wrong, for programs.' }),
        message: z.string().nullable().meta({ description: 'What went wrong and what to do, for people.' }),
      })
      .meta({ description: 'Why the job has no result.' }),
  }).meta({ description: 'The job, which has no result.' }),
).meta({ id: 'CompressionFailedEvent' });

const WebhookTestEvent = messageOf(
  'webhook.test',
  z.object({ webhook_id: Id.meta({ description: 'Webhook that is tested.' }) }).meta({ description: 'The webhook.' }),
).meta({ id: 'WebhookTestEvent' });

/** What is sent for each type of event. */
export const WEBHOOK_MESSAGES = {
  'upload.completed': UploadCompletedEvent,
  'content.ready': z.union([ContentReadyEvent, ContentReadyEvents]),
  'content.failed': z.union([ContentFailedEvent, ContentFailedEvents]),
  'connection.expired': ConnectionExpiredEvent,
  'connection.error': ConnectionErrorEvent,
  'compress.completed': CompressionCompletedEvent,
  'compress.failed': CompressionFailedEvent,
  'webhook.test': WebhookTestEvent,
} satisfies Record<WebhookEventType, z.ZodType>;

/** The message of each type of event. */
export type WebhookMessages = { [Type in WebhookEventType]: z.infer<(typeof WEBHOOK_MESSAGES)[Type]> };
