import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Secret } from './secret.ts';

const SECRET_PREFIX = 'whsec_';
/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;

/** Generates a signing secret: `whsec_` and 32 random bytes in base64. */
export function generateWebhookSecret(): Secret {
  return new Secret(SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64'));
}

/** Headers of a message: its id, the time and the signatures. */
export type WebhookSignature = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

/**
 * Returns the signature headers of one attempt (Standard Webhooks 1.0.0). `webhook-id` and the body are the same in every
 * attempt; the timestamp is that of this one. Every secret signs, newest first: receivers accept a message when any signature
 * matches their secret.
 */
export function createWebhookSignature(
  message: { id: string; body: string; sentAt: Date },
  secrets: readonly Secret[],
): WebhookSignature {
  const { id, body, sentAt } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret.reveal()).sign(id, sentAt, body)).join(' '),
  };
}
