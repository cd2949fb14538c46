import { buffer } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createEgress, type Egress, type EgressOptions, type FetchOptions } from '#security/egress/egress.ts';

/** Limits that no well-behaved response of a test reaches. */
export const LIMITS: FetchOptions = { maxBytes: 1_000_000, totalTimeoutMs: 30_000 };

/**
 * Resolves every name to 127.0.0.1, where the trap servers listen, and allows no other address: 127.0.0.2 stands for the
 * internal network.
 */
export function egressToTraps(options: Partial<EgressOptions> = {}): Egress {
  return createEgress({ allow: ['127.0.0.1/32'], resolve: async () => ['127.0.0.1'], ...options });
}

/** Fetches a URL and returns the whole body. */
export async function readAll(
  url: string,
  limits: Partial<FetchOptions> = {},
  egress = egressToTraps(),
): Promise<Buffer> {
  const response = await egress.fetchTo(url, { ...LIMITS, ...limits });
  return buffer(response.body);
}

/** Asserts that `work` fails with an AppError of this code. Returns its message. */
export async function failsWith(t: ExecutionContext, code: AppError['code'], work: Promise<unknown>): Promise<string> {
  const error = await t.throwsAsync(work, { instanceOf: AppError });
  t.is(error?.code, code, error?.message);
  return error?.message ?? '';
}
