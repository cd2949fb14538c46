import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hashFile, type ModelFolder } from '#providers/embedders/model-folder.ts';
import { optimizedWeights, type ModelWeights } from './optimized-weights.ts';
import { UnusableModelError } from './unusable-model.ts';

type Opened<Thread, Kind> = {
  first: Thread;
  /** @throws Error when the model cannot be opened again, or was replaced. */
  another: (kind: Kind) => Promise<Thread>;
  /** SHA-256 of the weights. */
  modelHash: string;
};

/**
 * Opens a model with the optimized copy of its weights or, if that cannot be used, with the weights themselves; more threads open
 * it later in the same way.
 */
export async function openWeights<Thread, Kind>(
  { folder, weightsPath }: Pick<ModelFolder, 'folder' | 'weightsPath'>,
  cacheDir: string,
  { open, firstKind }: { open: (weights: ModelWeights, kind: Kind) => Promise<Thread>; firstKind: Kind },
): Promise<Opened<Thread, Kind>> {
  const modelHash = await hashFile(weightsPath);
  const openWith = async (weights: ModelWeights, kind: Kind): Promise<Thread> => {
    if (!weights.isOptimized && (await hashFile(weightsPath)) !== modelHash) {
      const reason = 'its files were replaced while it was in use';
      throw new UnusableModelError(folder, { reason, remedy: 'Restart to use the new ones.' });
    }
    return open(weights, kind);
  };
  const optimized = await optimizedWeights({ path: weightsPath, hash: modelHash }, cacheDir);
  try {
    const first = await openWith(optimized, firstKind);
    return { first, another: (kind) => openWith(optimized, kind), modelHash };
  } catch (error) {
    if (!optimized.isOptimized) throw error;
    // The copy may be damaged: the next start writes another one.
    await rm(dirname(optimized.path), { recursive: true, force: true });
    const original = { path: weightsPath, isOptimized: false };
    const first = await openWith(original, firstKind);
    return { first, another: (kind) => openWith(original, kind), modelHash };
  }
}
