import type { WebhookMessages } from '#domain/webhooks/webhook-messages.ts';
import { compressionExamples } from './compression-examples.ts';
import { exampleIds, UPDATED } from './example-ids.ts';

const content = {
  content_id: exampleIds.content,
  collection_id: exampleIds.collection,
  upload_id: exampleIds.upload,
  name: 'handbook.pdf',
  external_id: 'handbook-7',
};
const connection = { connection_id: exampleIds.connection, integration: 'github', user_id: exampleIds.user };
const compression = { ...compressionExamples.compressContext.response, job_id: exampleIds.job };

/** An example of the message of each type of event. */
export const eventExamples: WebhookMessages = {
  'upload.completed': {
    type: 'upload.completed',
    timestamp: UPDATED,
    data: {
      upload_id: exampleIds.upload,
      collection_id: exampleIds.collection,
      status: 'completed',
      total_uploads: 1,
      failed_uploads: 0,
      progress: { total: 1, settled: 1, by_status: { ready: 1 }, chunks: 12, percent: 100 },
    },
  },
  'content.ready': { type: 'content.ready', timestamp: UPDATED, data: { ...content, status: 'ready', chunks: 12 } },
  'content.failed': {
    type: 'content.failed',
    timestamp: UPDATED,
    data: {
      ...content,
      status: 'failed',
      code: 'encrypted',
      message: 'The PDF needs a password: remove the password and upload the file again.',
    },
  },
  'connection.expired': {
    type: 'connection.expired',
    timestamp: UPDATED,
    data: { ...connection, status: 'expired', reason: 'invalid_grant' },
  },
  'connection.error': {
    type: 'connection.error',
    timestamp: UPDATED,
    data: { ...connection, status: 'error', reason: 'invalid_client' },
  },
  'compress.completed': { type: 'compress.completed', timestamp: UPDATED, data: compression },
  'compress.failed': {
    type: 'compress.failed',
    timestamp: UPDATED,
    data: {
      ...compression,
      status: 'cancelled',
      strategy_used: null,
      content: null,
      compressed_tokens: null,
      ratio: null,
      metadata: null,
      error: { code: 'cancelled', message: 'The job was cancelled by request.' },
    },
  },
  'webhook.test': { type: 'webhook.test', timestamp: UPDATED, data: { webhook_id: exampleIds.webhook } },
};
