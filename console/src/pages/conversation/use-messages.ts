import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

const PAGE_SIZE = 50;
/** Pages that are kept. With more, the newest are left out: the API ends a page at 1 MiB. */
const MAX_PAGES = 10;
/** Programs go on talking. Who reads older messages is not disturbed. */
const REFRESH_MS = 10_000;

type MessagePages = { pages: Schemas['MessageList'][]; pageParams: (string | null)[] };

/** The messages of a conversation from the newest backwards; none for a key that may not read them. */
export function useMessages(conversationId: string) {
  const { loci, may } = useSession();
  return useInfiniteQuery({
    queryKey: queryKeys.messages(conversationId),
    enabled: may('messages:read'),
    initialPageParam: null as string | null,
    maxPages: MAX_PAGES,
    refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? REFRESH_MS : false),
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const params = {
        path: { conversation_id: conversationId },
        query: { order: 'newest_first' as const, ...page },
      };
      return dataOf(loci.api.GET('/api/v1/conversations/{conversation_id}/messages', { params, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    // Pages that were left out come back all at once.
    getPreviousPageParam: () => null,
    select: threadOf,
  });
}

/** What is loaded of a thread, oldest first. */
export type Thread = {
  messages: Schemas['Message'][];
  total: number;
  /** Whether the newest messages are among them. */
  hasNewest: boolean;
};

function threadOf({ pages, pageParams }: MessagePages): Thread {
  return {
    messages: pages.flatMap(({ data }) => data).toReversed(),
    total: pages[0]?.total_count ?? 0,
    hasNewest: pageParams[0] === null,
  };
}

/** Forgets what is loaded of a thread, and loads its newest messages. */
export function useNewestMessages(conversationId: string): () => void {
  const queries = useQueryClient();
  return () => void queries.resetQueries({ queryKey: queryKeys.messages(conversationId) });
}

export type WrittenMessage = { content: string; role: string; sender: string | null; remember: boolean };

/** Adds a message to a conversation. */
export function useWriteMessage(conversationId: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ content, role, sender, remember }: WrittenMessage) => {
      const message = { content, role, ...(sender === null ? {} : { sender_id: sender }) };
      const body = { conversation_id: conversationId, content: message, enable_memories: remember };
      return dataOf(loci.api.POST('/api/v1/messages', { body }));
    },
    onSuccess: async () => {
      const stale = [queryKeys.messages(conversationId), queryKeys.conversation(conversationId)];
      await Promise.all(stale.map(async (queryKey) => queries.invalidateQueries({ queryKey })));
      await queries.invalidateQueries({ queryKey: queryKeys.conversations() });
    },
  });
}
