import { workspaceScope } from '#domain/access/scope.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { memoryTenant, parseSpace, serializeSpace } from '#domain/memories/memory-index.ts';
import type { Services } from '#operations/services.ts';

/**
 * If a workspace still has memories in the space of another embedder, drops its tenant there and marks them for indexing in the
 * configured space. Handles one workspace a call and returns how many it handled.
 */
export async function clearOtherSpace(services: Services): Promise<number> {
  const { memoryProjections } = services.stores;
  const found = await memoryProjections.findOtherSpace(serializeSpace(services.embedders.preferred.space));
  if (!found) return 0;
  const space: EmbeddingSpace = parseSpace(found.index_space);
  await services.vectors.dropTenant(space, memoryTenant(found.workspace_id));
  await memoryProjections.clearSpace(workspaceScope(found), found.index_space);
  return 1;
}
