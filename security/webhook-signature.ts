import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Secret } from './secret.ts';

const SECRET_PREFIX = 'whsec_';
/** Standard Webhooks wants 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret to sign with: `whsec_` and 32 random bytes in base64. */
export function generateWebhookSecret(): Secret {
  return new Secret(SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64'));
}

/**
 * The headers of one send by Standard Webhooks 1.0.0: `webhook-id` and the bytes are those of every attempt, the time is that
 * of this one. Each of the secrets signs, the newest first: receivers take a message that one of theirs fits.
 */
export function createWebhookSignature(
  message: { id: string; body: string; sentAt: Date },
  secrets: readonly Secret[],
): Record<string, string> {
  const { id, body, sentAt } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret.reveal()).sign(id, sentAt, body)).join(' '),
  };
}
