import { AppError } from '#domain/app-error.ts';
import type { LocalFile } from '#domain/blob-store.ts';
import { isPassing } from '#activities/failures.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

type CheckedOut<Item> = { files: (Item & LocalFile)[]; errors: (Item & { error: AppError })[] };

/**
 * Checks the blobs of items out, and adds to each its local file, or why it has none. The caller releases the files.
 * @throws errors of the infrastructure; then nothing stays checked out.
 */
export async function checkOutEach<Item extends { sha256: string }>(
  { blobs }: Pick<WorkerServices, 'blobs'>,
  workspaceId: string,
  items: readonly Item[],
): Promise<CheckedOut<Item>> {
  const found = await blobs.checkOutAll(
    workspaceId,
    items.map(({ sha256 }) => sha256),
  );
  const result: CheckedOut<Item> = { files: [], errors: [] };
  for (const [place, item] of items.entries()) {
    const one = found[place];
    if (one instanceof AppError) result.errors.push({ ...item, error: one });
    else if (one !== undefined) result.files.push({ ...item, ...one });
  }
  const passing = result.errors.find(({ error }) => isPassing(error));
  if (passing === undefined) return result;
  await Promise.all(result.files.map((file) => file.release()));
  throw passing.error;
}
