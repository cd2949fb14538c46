import type { EmbedOptions, Embedder } from '#domain/embedder.ts';
import type { Scope } from '#domain/access/scope.ts';
import { memoryFacets, memoryTenant, serializeSpace } from '#domain/memories/memory-index.ts';
import type { PendingMemoryVersion } from '#store/memories/memory-projections.ts';
import type { Stores } from '#store/stores.ts';
import type { VectorIndex } from '#store/weaviate/vector-index.ts';

/** What writing memories into the index needs; `Services` has it. */
export type IndexingParts = { stores: Stores; vectors: VectorIndex; embedders: { readonly preferred: Embedder } };

/** A version and its vector; null where the index holds the object and only the end of its validity changes. */
export type EmbeddedVersion = { version: PendingMemoryVersion; vector: Float32Array | null };

/** Embeds those versions whose objects are not in the index. @throws AppError as the embedder. */
export async function embedVersions(
  { embedders }: IndexingParts,
  versions: readonly PendingMemoryVersion[],
  options: EmbedOptions,
): Promise<EmbeddedVersion[]> {
  const absent = versions.filter((version) => version.index_state !== 'current');
  const texts = absent.map((version) => version.memory);
  const vectors = texts.length === 0 ? [] : await embedders.preferred.embed(texts, 'document', options);
  const byObject = new Map(absent.map((version, at) => [version.object_id, vectors[at]]));
  return versions.map((version) => ({ version, vector: byObject.get(version.object_id) ?? null }));
}

/**
 * Writes versions of one workspace into the index with their present validity. `unwritten` are further objects that this process
 * is about to write.
 */
export async function writeVersions(
  parts: IndexingParts,
  scope: Scope,
  { embedded, unwritten }: { embedded: readonly EmbeddedVersion[]; unwritten: ReadonlySet<string> },
): Promise<void> {
  const { preferred } = parts.embedders;
  const tenant = memoryTenant(scope.workspaceId);
  const absent = embedded.filter(({ vector }) => vector !== null);
  const updates = embedded
    .filter(({ vector }) => vector === null)
    .map(({ version }) => ({ id: version.object_id, facets: memoryFacets(version) }));
  const missing = updates.length === 0 ? [] : await parts.vectors.updateFacets(preferred.space, tenant, updates);
  if (missing.length > 0) {
    const lost = embedded.filter(({ version }) => missing.includes(version.object_id));
    const versions = lost.map(({ version }) => ({ ...version, index_state: 'none' as const }));
    absent.push(...(await embedVersions(parts, versions, { lane: 'express', share: scope.workspaceId })));
  }
  if (absent.length > 0) await writeObjects(parts, scope, { embedded: absent, unwritten });
}

async function writeObjects(
  parts: IndexingParts,
  scope: Scope,
  { embedded, unwritten }: { embedded: readonly EmbeddedVersion[]; unwritten: ReadonlySet<string> },
): Promise<void> {
  const { space } = parts.embedders.preferred;
  const objects = embedded.map(({ version, vector }) => ({
    id: version.object_id,
    content_id: version.memory_id,
    version: version.version,
    text: version.memory,
    facets: memoryFacets(version),
    vector: vector ?? new Float32Array(space.dimensions),
  }));
  // An earlier attempt that crashed or timed out may already have written some of the objects.
  const write = () => parts.vectors.rewriteObjects(space, memoryTenant(scope.workspaceId), objects);
  try {
    await write();
  } catch {
    // The tenant may be missing: this is the first memory of the workspace, or Weaviate lost its data. If Weaviate is
    // unavailable, this fails as well.
    await recreateTenant(parts, scope, [...unwritten, ...objects.map(({ id }) => id)]);
    await write();
  }
}

/**
 * Creates the tenant. If it was lost, marks the other memories of the workspace for indexing first: once the tenant exists again,
 * nothing would detect that they are missing. `exceptObjects` are written after this. Nothing is marked when the index held
 * nothing of the workspace yet: memories that other requests are writing at the moment would be written a second time, and
 * vector searches miss an object for some milliseconds while it is replaced.
 */
async function recreateTenant(parts: IndexingParts, scope: Scope, exceptObjects: readonly string[]): Promise<void> {
  const { space } = parts.embedders.preferred;
  const tenant = memoryTenant(scope.workspaceId);
  const { memoryProjections } = parts.stores;
  // In this order: of memories that were indexed before the tenant was found missing, it was lost.
  const hadVersions = await memoryProjections.hasIndexedVersions(scope);
  if (hadVersions && !(await parts.vectors.tenantExists(space, tenant))) {
    await memoryProjections.markUnindexed(scope, serializeSpace(space), exceptObjects);
  }
  await parts.vectors.ensureTenant(space, tenant);
}
