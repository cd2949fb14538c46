import { z } from 'zod';
import { EMBEDDER_PROVIDERS, type EmbeddingSpace } from '#domain/embedder.ts';
import { compileFilter, type FacetQuery } from '#domain/filters/compile-filter.ts';
import { chunkFacets } from '#domain/filters/facets.ts';
import type { Field } from '#domain/filters/fields.ts';
import type { Filter } from '#domain/filters/filter.ts';

/** Returns the Weaviate tenant that all memories of a workspace share. */
export function memoryTenant(workspaceId: string): string {
  return `memories-${workspaceId}`;
}

const SpaceSchema = z.object({
  provider: z.enum(EMBEDDER_PROVIDERS),
  model: z.string(),
  model_hash: z.string(),
  dimensions: z.int(),
});

/** Returns an embedding space as text, as `memory_versions.index_space` stores it. */
export function serializeSpace({ provider, model, model_hash, dimensions }: EmbeddingSpace): string {
  return JSON.stringify({ provider, model, model_hash, dimensions });
}

/** Parses the text that `serializeSpace` returned. */
export function parseSpace(text: string): EmbeddingSpace {
  return SpaceSchema.parse(JSON.parse(text));
}

/** The fields of a memory version that searches filter by. */
export type IndexedMemoryVersion = { user_id: string; memory_type: string; valid_from: Date; valid_to: Date | null };

/** Returns the facet terms of a version; times become milliseconds since 1970. */
export function memoryFacets({ user_id, memory_type, valid_from, valid_to }: IndexedMemoryVersion): string[] {
  const validity = {
    from: valid_from.getTime(),
    ...(valid_to === null ? { current: true } : { to: valid_to.getTime() }),
  };
  return chunkFacets({ user_id, memory_type, ...validity });
}

/** Returns the filter for versions that are valid now, or were at `asOf`; of one user, or of all when `userId` is null. */
export function memoryFilter({ userId, asOf }: { userId: string | null; asOf: Date | null }): FacetQuery {
  const operands: Filter[] = [asOf === null ? IS_CURRENT : validAt(asOf.getTime())];
  if (userId !== null) operands.push({ kind: 'one_of', field: fieldOf('user_id'), values: new Set([userId]) });
  return compileFilter({ kind: 'and', operands });
}

function validAt(timeMs: number): Filter {
  const hasBegun: Filter = { kind: 'range', field: fieldOf('from'), scale: 'number', bound: 'lte', value: timeMs };
  const endsLater: Filter = { kind: 'range', field: fieldOf('to'), scale: 'number', bound: 'gt', value: timeMs };
  return { kind: 'and', operands: [hasBegun, { kind: 'or', operands: [IS_CURRENT, endsLater] }] };
}

function fieldOf(path: string): Field {
  return { area: 'chunk', path, type: 'any' };
}

const IS_CURRENT: Filter = { kind: 'one_of', field: fieldOf('current'), values: new Set([true]) };
