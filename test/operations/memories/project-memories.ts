import { clearOtherSpace } from '#operations/memories/clear-other-space.ts';
import { createMemoryProjector } from '#operations/memories/memory-projector.ts';
import { removeMemoryResidues } from '#operations/memories/remove-memory-residues.ts';
import type { Services } from '#operations/services.ts';

/** Runs each of the worker's loops over memories once, and waits until they have ended. Returns the number of items found. */
export async function projectMemories(services: Services): Promise<number> {
  const projector = createMemoryProjector(services);
  const due = await projector.projectNext();
  await projector.drain();
  return due + (await clearOtherSpace(services)) + (await removeMemoryResidues(services));
}
