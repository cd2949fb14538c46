import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import type { DeliveryFilter } from './delivery-filter.ts';

const PAGE_SIZE = 50;
/** The first attempt is made at once, further ones later. */
const REFRESH_PENDING_MS = 1_000;
const REFRESH_RETRYING_MS = 5_000;

/** The deliveries of a webhook, or of all receivers, newest first; anew while some have not ended. */
export function useDeliveries(webhookId: string | null, { status, event }: DeliveryFilter) {
  const { loci } = useSession();
  const filters = {
    ...(webhookId === null ? {} : { webhook_id: webhookId }),
    ...(status === undefined ? {} : { status }),
    ...(event === undefined ? {} : { event_type: event }),
  };
  return useInfiniteQuery({
    queryKey: queryKeys.deliveries(filters),
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filters, limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return dataOf(loci.api.GET('/api/v1/webhook-deliveries', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state }) => refreshAfter(state.data?.pages.flatMap(({ data }) => data) ?? []),
  });
}

/** When deliveries are to be read again; false when all have ended. */
function refreshAfter(deliveries: readonly Pick<Schemas['WebhookDelivery'], 'status'>[]): number | false {
  if (deliveries.every(hasEnded)) return false;
  return deliveries.some(({ status }) => status === 'pending') ? REFRESH_PENDING_MS : REFRESH_RETRYING_MS;
}

/** Whether no further attempt follows by itself. */
export function hasEnded({ status }: Pick<Schemas['WebhookDelivery'], 'status'>): boolean {
  return status === 'delivered' || status === 'failed';
}

/** A delivery with its message; anew until it has ended. `mayRead`: whether the caller may read what it reports. */
export function useDelivery(id: string, mayRead: boolean) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.delivery(id),
    enabled: mayRead,
    queryFn: async ({ signal }) => {
      const params = { path: { delivery_id: id } };
      return dataOf(loci.api.GET('/api/v1/webhook-deliveries/{delivery_id}', { params, signal }));
    },
    refetchInterval: ({ state }) => refreshAfter(state.data === undefined ? [] : [state.data]),
  });
}

/** Sends a delivery that has ended again. */
export function useRedeliver() {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      const params = { path: { delivery_id: id } };
      return dataOf(loci.api.POST('/api/v1/webhook-deliveries/{delivery_id}/redeliver', { params }));
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: queryKeys.deliveries() });
      await queries.invalidateQueries({ queryKey: queryKeys.webhooks() });
    },
  });
}
