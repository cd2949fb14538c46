import { createHmac } from 'node:crypto';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { IdempotencyClaim } from '#store/idempotency.ts';
import type { Stores } from '#store/stores.ts';
import type { Services } from './services.ts';

/** `Idempotency-Key` of a request, and a fingerprint that tells its body from another. */
export type Idempotency = { key: string; fingerprint: string };

export type Answer<Body> = { status: number; body: Body };

type IdempotentRequest<Body> = {
  route: string;
  idempotency: Idempotency | null;
  effect: (stores: Stores) => Promise<Answer<Body>>;
};

const TTL_MS = 24 * 60 * 60 * 1000;

/**
 * Runs an effect in one transaction. With an idempotency key, the response is stored encrypted in the same transaction for
 * 24 hours; the same request then gets the same response without a second effect.
 * @throws AppError `idempotency_conflict` while the first request runs, `idempotency_mismatch` for another body or route.
 */
export async function withIdempotency<Body>(
  services: Services,
  caller: Caller,
  { route, idempotency, effect }: IdempotentRequest<Body>,
): Promise<Answer<Body> & { replayed: boolean }> {
  return services.stores.transaction(async (stores) => {
    if (!idempotency) return { ...(await effect(stores)), replayed: false };
    const claim = createClaim(services, caller, { route, idempotency });
    if (!(await stores.idempotency.tryLock(caller.scope, claim))) {
      const message = 'A request with this Idempotency-Key is still running; try again shortly.';
      throw new AppError('idempotency_conflict', message, { retryAfterS: 1 });
    }
    const stored = await findAnswer<Body>({ ...services, stores }, caller, claim);
    if (stored) return { ...stored, replayed: true };
    const answer = await effect(stores);
    const sealed = services.secrets.keyRing.seal(JSON.stringify(answer.body), sealingContext(caller, claim));
    await stores.idempotency.save(caller.scope, claim, { status: answer.status, answer: sealed, ttlMs: TTL_MS });
    return { ...answer, replayed: false };
  });
}

/**
 * Returns the response that `withIdempotency` stored for this key; null without one.
 * @throws AppError `idempotency_mismatch` for another body or route.
 */
export async function findIdempotentAnswer<Body>(
  services: Services,
  caller: Caller,
  asked: { route: string; idempotency: Idempotency },
): Promise<Answer<Body> | null> {
  return findAnswer(services, caller, createClaim(services, caller, asked));
}

/** Whether a response is stored for this key, of whatever request. */
export async function hasIdempotentAnswer({ stores }: Services, caller: Caller, key: string): Promise<boolean> {
  return (await stores.idempotency.find(caller.scope, { principal: caller.principal, key })) !== null;
}

function createClaim(
  services: Services,
  caller: Caller,
  { route, idempotency }: { route: string; idempotency: Idempotency },
): IdempotencyClaim {
  // A keyed hash: a request may contain a secret that is short enough to be guessed from a plain hash.
  const fingerprint = createHmac('sha256', services.secrets.apiKeyPepper).update(idempotency.fingerprint).digest('hex');
  return { principal: caller.principal, key: idempotency.key, route, fingerprint };
}

/** Returns the stored response; null for the first request. @throws AppError `idempotency_mismatch`. */
async function findAnswer<Body>(
  { stores, secrets }: Services,
  caller: Caller,
  claim: IdempotencyClaim,
): Promise<Answer<Body> | null> {
  const stored = await stores.idempotency.find(caller.scope, claim);
  if (!stored) return null;
  if (stored.fingerprint !== claim.fingerprint || stored.route !== claim.route) {
    const message = 'This Idempotency-Key was used for another request; use a new key for a new request.';
    throw new AppError('idempotency_mismatch', message);
  }
  // Sealed by this function's caller from a response of the same route.
  const body = JSON.parse(secrets.keyRing.open(stored.answer, sealingContext(caller, claim)).reveal()) as Body;
  return { status: stored.status, body };
}

function sealingContext(caller: Caller, { key }: IdempotencyClaim) {
  return { workspaceId: caller.scope.workspaceId, row: `idempotency_keys/${caller.principal}/${key}` };
}
