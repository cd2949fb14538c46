import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys, SECRET_REQUEST } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

/** More than a workspace can have. */
const LIMIT = 1000;
const REFRESH_MS = 2_000;

/** The webhooks of the workspace, oldest first; anew every few seconds while deliveries wait. */
export function useWebhooks() {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.webhooks(),
    queryFn: async ({ signal }) =>
      (await dataOf(loci.api.GET('/api/v1/webhooks', { params: { query: { limit: LIMIT } }, signal }))).data,
    refetchInterval: ({ state }) => (state.data?.some(isBusy) === true ? REFRESH_MS : false),
  });
}

/** One webhook; anew every few seconds while its deliveries wait. */
export function useWebhook(id: string) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.webhook(id),
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: id } }, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isBusy(state.data) ? REFRESH_MS : false),
  });
}

function isBusy({ delivery_state: state, pending_deliveries: pending }: Schemas['Webhook']): boolean {
  return state === 'failing' || pending > 0;
}

/** What is sent to create a webhook. */
export type WebhookFields = Schemas['CreateWebhookRequest'];

/** Creates a webhook or, with an id, changes it. The answer to creating has its secret. */
export function useSaveWebhook() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ id, body }: { id: string | null; body: WebhookFields }) =>
      id === null
        ? dataOf(loci.api.POST('/api/v1/webhooks', { body }))
        : dataOf(loci.api.PATCH('/api/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: id } }, body })),
    mutationKey: SECRET_REQUEST,
    // The secret is kept by nothing but the dialog that shows it.
    gcTime: 0,
    onSuccess: async ({ secret }) => {
      const refreshed = refresh();
      // It is shown at once, however long the list takes.
      if (secret === null) await refreshed;
    },
  });
}

/** Enables or disables a webhook. */
export function useSwitchWebhook() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ id, status }: Pick<Schemas['Webhook'], 'id' | 'status'>) => {
      const params = { path: { webhook_id: id } };
      return dataOf(loci.api.PATCH('/api/v1/webhooks/{webhook_id}', { params, body: { status } }));
    },
    onSuccess: refresh,
  });
}

/** Sends a test event. */
export function useTestWebhook() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (id: string) =>
      dataOf(loci.api.POST('/api/v1/webhooks/{webhook_id}/test', { params: { path: { webhook_id: id } } })),
    onSuccess: refresh,
  });
}

/** Gives a webhook a new secret. */
export function useRotateWebhook() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (id: string) =>
      dataOf(loci.api.POST('/api/v1/webhooks/{webhook_id}/rotate', { params: { path: { webhook_id: id } } })),
    mutationKey: SECRET_REQUEST,
    gcTime: 0,
    // The secret is shown at once, however long the list takes.
    onSuccess: () => void refresh(),
  });
}

/** Deletes a webhook with its secret. */
export function useDeleteWebhook() {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) =>
      dataOf(loci.api.DELETE('/api/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: id } } })),
    onSuccess: async () => queries.invalidateQueries({ queryKey: queryKeys.webhooks(), exact: true }),
  });
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: queryKeys.webhooks() });
    await queries.invalidateQueries({ queryKey: queryKeys.deliveries() });
  };
}
