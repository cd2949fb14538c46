import {
  type QueryKey,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import type { ConversationFilter } from './conversation-filter.ts';

const PAGE_SIZE = 50;
/** The summary is written after messages came in, and programs may end a conversation. */
const REFRESH_MS = 10_000;
type Conversation = Schemas['Conversation'];
type ConversationPages = { pages: Schemas['ConversationList'][] };

/** The conversations that match, page by page, newest first; with words of a title, the most similar ones first. */
export function useConversations({ user, search, status }: ConversationFilter) {
  const { loci } = useSession();
  const filters = {
    ...(user === undefined ? {} : { user_id: user }),
    ...(search === undefined ? {} : { search }),
    ...(status === undefined ? {} : { status }),
  };
  return useInfiniteQuery({
    queryKey: queryKeys.conversations(filters),
    initialPageParam: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filters, skip: pageParam, limit: PAGE_SIZE };
      return dataOf(loci.api.GET('/api/v1/conversations', { params: { query }, signal }));
    },
    getNextPageParam: ({ data, total_count: total }, _pages, skipped) =>
      data.length > 0 && skipped + data.length < total ? skipped + data.length : null,
    select: distinctConversations,
  });
}

/** A conversation that was started between two pages moves the others on: one would be on both. */
function distinctConversations({ pages }: ConversationPages): Conversation[] {
  return [...new Map(pages.flatMap(({ data }) => data).map((one) => [one.id, one])).values()];
}

/** One conversation. */
export function useConversation(id: string | undefined) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.conversation(id ?? ''),
    enabled: id !== undefined,
    queryFn: async ({ signal }) => {
      const params = { path: { conversation_id: id ?? '' } };
      return dataOf(loci.api.GET('/api/v1/conversations/{conversation_id}', { params, signal }));
    },
    // One that failed after others had succeeded may succeed the next time.
    refetchInterval: ({ state }) => (state.data === undefined ? false : REFRESH_MS),
  });
}

/** What a new conversation begins with. */
export type FirstWords = { title: string; user: string; message: string };

/** Starts a conversation, and returns its id. A key that may only send messages starts it with the first one. */
export function useStartConversation() {
  const { loci, may } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ title, user, message }: FirstWords) => {
      if (!may('conversations:write')) {
        const [first] = await dataOf(loci.api.POST('/api/v1/messages', { body: { content: message } }));
        return first?.conversation_id ?? '';
      }
      const owner = user === '' ? {} : { owner_id: user };
      const body = { title: title === '' ? null : title, ...owner };
      return (await dataOf(loci.api.POST('/api/v1/conversations', { body }))).id;
    },
    onSuccess: async () => refresh(),
  });
}

/** Changes the title of a conversation, and who may read it. */
export function useUpdateConversation() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ id, body }: { id: string; body: Schemas['UpdateConversationRequest'] }) => {
      const params = { path: { conversation_id: id } };
      return dataOf(loci.api.PATCH('/api/v1/conversations/{conversation_id}', { params, body }));
    },
    onSuccess: async () => refresh(),
  });
}

/** What can be done with a conversation after a confirmation. */
export type ConversationAction = 'end' | 'archive' | 'remove';

/** Ends, archives or deletes a conversation. */
export function useConversationAction() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ id, action }: { id: string; action: ConversationAction }) => {
      const params = { path: { conversation_id: id } };
      if (action === 'remove') {
        await dataOf(loci.api.DELETE('/api/v1/conversations/{conversation_id}', { params }));
      } else {
        await dataOf(loci.api.PATCH(`/api/v1/conversations/{conversation_id}/${action}`, { params }));
      }
    },
    // The page of a deleted conversation is left; asking for it again would only fail.
    onSuccess: async (_nothing, { action }) => refresh(action === 'remove' ? [queryKeys.conversations()] : undefined),
  });
}

const CHANGED = [queryKeys.conversations(), queryKeys.conversation()];

function useRefresh() {
  const queries = useQueryClient();
  return async (stale: readonly QueryKey[] = CHANGED) => {
    await Promise.all(stale.map(async (queryKey) => queries.invalidateQueries({ queryKey })));
  };
}
