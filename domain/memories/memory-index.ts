import { z } from 'zod';
import { EMBEDDER_PROVIDERS, type EmbeddingSpace } from '#domain/embedder.ts';
import { compileFilter, type FacetQuery } from '#domain/filters/compile-filter.ts';
import { chunkFacets } from '#domain/filters/facets.ts';
import type { Field } from '#domain/filters/fields.ts';
import type { Filter } from '#domain/filters/filter.ts';

/** All memories of a workspace share a tenant. */
export function memoryTenant(workspaceId: string): string {
  return `memories-${workspaceId}`;
}

const SpaceSchema = z.object({
  provider: z.enum(EMBEDDER_PROVIDERS),
  model: z.string(),
  model_hash: z.string(),
  dimensions: z.int(),
});

/** An embedding space as rows keep it. */
export function serializeSpace({ provider, model, model_hash, dimensions }: EmbeddingSpace): string {
  return JSON.stringify({ provider, model, model_hash, dimensions });
}

/** The space that `spaceText` wrote. */
export function parseSpace(text: string): EmbeddingSpace {
  return SpaceSchema.parse(JSON.parse(text));
}

/** A version as filters see it; times as milliseconds since 1970. */
export type IndexedMemoryVersion = { user_id: string; memory_type: string; valid_from: Date; valid_to: Date | null };

/** Terms under which a version is found. */
export function memoryFacets({ user_id, memory_type, valid_from, valid_to }: IndexedMemoryVersion): string[] {
  const validity = {
    from: valid_from.getTime(),
    ...(valid_to === null ? { current: true } : { to: valid_to.getTime() }),
  };
  return chunkFacets({ user_id, memory_type, ...validity });
}

/** Asks for what is valid now, or was at a time; of one user, or of all. */
export function memoryFilter({ userId, asOf }: { userId: string | null; asOf: Date | null }): FacetQuery {
  const operands: Filter[] = [asOf === null ? IS_CURRENT : validAt(asOf.getTime())];
  if (userId !== null) operands.push({ kind: 'one_of', field: fieldOf('user_id'), values: [userId] });
  return compileFilter({ kind: 'and', operands });
}

function validAt(time: number): Filter {
  const began: Filter = { kind: 'range', field: fieldOf('from'), scale: 'number', bound: 'lte', value: time };
  const ends: Filter = { kind: 'range', field: fieldOf('to'), scale: 'number', bound: 'gt', value: time };
  return { kind: 'and', operands: [began, { kind: 'or', operands: [IS_CURRENT, ends] }] };
}

function fieldOf(path: string): Field {
  return { area: 'chunk', path, type: 'any' };
}

const IS_CURRENT: Filter = { kind: 'one_of', field: fieldOf('current'), values: [true] };
