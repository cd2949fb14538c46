import type { Services } from '#operations/services.ts';

/** Longer than any download takes. Uploads may take longer; their process tells the others every hour that it uses their files. */
const MIN_AGE_MS = 24 * 60 * 60 * 1000;
const EVERY_MS = 60 * 60 * 1000;

/** Deletes what killed processes left in the work folders of this machine. */
export async function sweepTemporaryFiles(services: Pick<Services, 'blobs' | 'log'>): Promise<void> {
  const count = await services.blobs.sweepTemporary(MIN_AGE_MS);
  if (count > 0) services.log.info({ count }, 'files that killed processes left were deleted');
}

/** Does it now and every hour, for a process without loops. Returns what ends it. */
export function keepSweepingTemporaryFiles(
  services: Pick<Services, 'blobs' | 'log'>,
  everyMs: number = EVERY_MS,
): () => void {
  const sweep = () =>
    sweepTemporaryFiles(services).catch((error: unknown) => {
      services.log.warn({ error }, 'old files could not be deleted');
    });
  void sweep();
  const timer = setInterval(() => void sweep(), everyMs);
  return () => clearInterval(timer);
}
