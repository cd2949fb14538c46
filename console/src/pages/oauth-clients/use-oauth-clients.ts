import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

/** The OAuth clients of the workspace, by provider, without their secrets. */
export function useOAuthClients() {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.oauthClients(),
    queryFn: async ({ signal }) => (await dataOf(loci.api.GET('/api/v1/oauth/clients', { signal }))).data,
  });
}

/** What is sent to create the client of a provider, or to replace it as a whole. */
export type SavedClient = { provider: string; body: Schemas['PutOAuthClientRequest'] };

/** Creates or replaces a client. */
export function useSaveOAuthClient() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ provider, body }: SavedClient) =>
      dataOf(loci.api.PUT('/api/v1/oauth/clients/{provider}', { params: { path: { provider } }, body })),
    // The secret that was sent is not kept.
    gcTime: 0,
    onSuccess: refresh,
  });
}

/** Deletes a client with its secret. */
export function useDeleteOAuthClient() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (provider: string) =>
      dataOf(loci.api.DELETE('/api/v1/oauth/clients/{provider}', { params: { path: { provider } } })),
    onSuccess: refresh,
  });
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => queries.invalidateQueries({ queryKey: queryKeys.oauthClients() });
}
