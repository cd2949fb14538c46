import type { SpooledBlob } from '#domain/blob-store.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';

/**
 * Stores blobs for an effect that refers to them. If the effect fails, those that were new are removed again; what fails then is
 * left to the sweeper.
 */
export async function storeFor<T>(
  services: Services,
  { scope: { workspaceId } }: Caller,
  { blobs, effect }: { blobs: readonly SpooledBlob[]; effect: () => Promise<T> },
): Promise<T> {
  const stored = await services.blobs.store(workspaceId, blobs);
  try {
    return await effect();
  } catch (error) {
    await services.blobs.discard(workspaceId, stored).catch((failure: unknown) => {
      const message = 'files of a refused request could not be removed; they are removed in a day';
      services.log.warn({ error: failure }, message);
    });
    throw error;
  }
}
