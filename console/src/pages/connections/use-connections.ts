import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import type { ConnectionFilter } from './connection-filter.ts';

const PAGE_SIZE = 50;

/** The connections that match with the state of their tokens, oldest first, page by page. */
export function useConnections({ user, status }: ConnectionFilter) {
  const { loci } = useSession();
  const filters = { ...(user === undefined ? {} : { user_id: user }), ...(status === undefined ? {} : { status }) };
  return useInfiniteQuery({
    queryKey: queryKeys.connections(filters),
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: PAGE_SIZE, include_token_state: true };
      const query = { ...filters, ...page, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return dataOf(loci.api.GET('/api/v1/connections', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });
}

/** The titles of the built-in providers, by name. */
export function useProviderTitles() {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.oauthProviders(),
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await dataOf(loci.api.GET('/api/v1/oauth/providers', { signal }))).data,
    select: (providers) => new Map(providers.map(({ name, title }) => [name, title])),
  });
}

/** Creates a connection without credentials. */
export function useCreateConnection() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (body: Schemas['CreateConnectionRequest']) =>
      dataOf(loci.api.POST('/api/v1/connections', { body })),
    onSuccess: refresh,
  });
}

/** Gets new tokens now. */
export function useRefreshConnection() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (id: string) => {
      const params = { path: { connection_id: id } };
      return dataOf(loci.api.POST('/api/v1/oauth/refresh/{connection_id}', { params }));
    },
    onSettled: refresh,
  });
}

/** Deletes a connection with its tokens. */
export function useDeleteConnection() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (id: string) => {
      const params = { path: { connection_id: id } };
      return dataOf(loci.api.DELETE('/api/v1/connections/{connection_id}', { params }));
    },
    onSuccess: refresh,
  });
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => queries.invalidateQueries({ queryKey: queryKeys.connections() });
}
