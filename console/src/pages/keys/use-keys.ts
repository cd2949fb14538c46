import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys, SECRET_REQUEST } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

const PAGE_SIZE = 1000;

/** The keys of the workspace, page by page, newest of each page first. */
export function useKeys() {
  const { loci } = useSession();
  return useInfiniteQuery({
    queryKey: queryKeys.keys(),
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return dataOf(loci.api.GET('/api/v1/api-keys', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap((page) => page.data).reverse(),
  });
}

/** What is sent to create a key or, with an id, to change it. */
export type SavedKey =
  { id: null; body: Schemas['CreateApiKeyRequest'] } | { id: string; body: Schemas['UpdateApiKeyRequest'] };

/** Creates or changes a key. The answer to creating has its secret. */
export function useSaveKey() {
  const { loci, access } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, body }: SavedKey) =>
      id === null
        ? dataOf(loci.api.POST('/api/v1/api-keys', { body }))
        : dataOf(loci.api.PATCH('/api/v1/api-keys/{api_key_id}', { params: { path: { api_key_id: id } }, body })),
    mutationKey: SECRET_REQUEST,
    // The secret is kept by nothing but the dialog that shows it.
    gcTime: 0,
    onSuccess: async ({ id, secret }) => {
      if (id === access.api_key?.id) void queries.invalidateQueries({ queryKey: queryKeys.caller() });
      const refreshed = queries.invalidateQueries({ queryKey: queryKeys.keys() });
      // It is shown at once, however long the list takes.
      if (secret === null) await refreshed;
    },
  });
}

/** Gives a key a new secret. */
export function useRotateKey() {
  const { loci } = useSession();
  return useMutation({
    mutationFn: async (id: string) =>
      dataOf(loci.api.POST('/api/v1/api-keys/{api_key_id}/rotate', { params: { path: { api_key_id: id } } })),
    mutationKey: SECRET_REQUEST,
    gcTime: 0,
  });
}

/** Revokes a key for ever. */
export function useRevokeKey() {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) =>
      dataOf(loci.api.DELETE('/api/v1/api-keys/{api_key_id}', { params: { path: { api_key_id: id } } })),
    onSuccess: async () => queries.invalidateQueries({ queryKey: queryKeys.keys() }),
  });
}
