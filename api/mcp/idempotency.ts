import { z } from 'zod';
import type { Idempotency } from '#operations/idempotency.ts';
import { fingerprintOf, IDEMPOTENCY_KEY } from '#api/http/request/idempotency.ts';

/** The argument `idempotency_key` of a tool that writes, which works like the header of the API. */
export const IdempotencyKey = z
  .string()
  .regex(IDEMPOTENCY_KEY, 'Must be 1 to 255 visible ASCII characters')
  .optional()
  .meta({
    description:
      'Your own id of this call. The same call with it within 24 hours returns the first result and writes nothing again.',
  });

/** `written`: the arguments that decide what is written; another call with the same key is refused. */
export function idempotencyOf(
  tool: string,
  key: string | undefined,
  written: Record<string, unknown>,
): Idempotency | null {
  return key === undefined ? null : { key, fingerprint: fingerprintOf(`tool ${tool}`, written) };
}
