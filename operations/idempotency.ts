import { createHmac } from 'node:crypto';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Stores } from '#store/stores.ts';
import type { Services } from './services.ts';

/** `Idempotency-Key` of a request, and what tells its body from another. */
export type Idempotency = { key: string; fingerprint: string };

export type Answer<Body> = { status: number; body: Body };

const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Runs an effect in one transaction. With an idempotency key its answer is kept, sealed, in the same transaction for
 * 24 hours, and the same request gets the same answer without a second effect.
 * @throws AppError `idempotency_conflict` while the first request runs, `idempotency_mismatch` for another body or route.
 */
export async function withIdempotency<Body>(
  services: Services,
  caller: Caller,
  request: { route: string; idempotency: Idempotency | null; effect: (stores: Stores) => Promise<Answer<Body>> },
): Promise<Answer<Body> & { replayed: boolean }> {
  const { route, idempotency, effect } = request;
  return services.stores.transaction(async (stores) => {
    if (!idempotency) return { ...(await effect(stores)), replayed: false };
    // With a key: what a request says may be a secret that is short enough to be guessed from a bare hash.
    const fingerprint = createHmac('sha256', services.secrets.apiKeyPepper)
      .update(idempotency.fingerprint)
      .digest('hex');
    const claim = { principal: caller.principal, key: idempotency.key, route, fingerprint };
    const context = {
      workspaceId: caller.scope.workspaceId,
      row: `idempotency_keys/${caller.principal}/${idempotency.key}`,
    };
    if (!(await stores.idempotency.tryLock(caller.scope, claim))) {
      throw new AppError(
        'idempotency_conflict',
        'A request with this Idempotency-Key is still running; try again shortly.',
        {
          retryAfterS: 1,
        },
      );
    }
    const kept = await stores.idempotency.find(caller.scope, claim);
    if (kept) {
      if (kept.fingerprint !== fingerprint || kept.route !== route) {
        throw new AppError(
          'idempotency_mismatch',
          'This Idempotency-Key was used for another request; take a new key for a new request.',
        );
      }
      // Sealed by ourselves from an answer of this very route.
      const body = JSON.parse(services.secrets.keyRing.open(kept.answer, context).reveal()) as Body;
      return { status: kept.status, body, replayed: true };
    }
    const answer = await effect(stores);
    const sealed = services.secrets.keyRing.seal(JSON.stringify(answer.body), context);
    await stores.idempotency.keep(caller.scope, claim, { status: answer.status, answer: sealed, ttlMs: KEPT_MS });
    return { ...answer, replayed: false };
  });
}
