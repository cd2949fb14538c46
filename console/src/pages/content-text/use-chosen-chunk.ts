import { useEffect, useRef } from 'react';

/** Pages that are loaded in search of a chunk; it may be one of an earlier version. */
const MAX_PAGES = 30;

type ChunkedList = {
  data: { parts: readonly { chunks: readonly { id: string }[] }[] } | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => Promise<unknown>;
};

/** Loads the pages of a text up to a chunk, and moves it into sight and the focus to it, once. Returns whether it goes on loading. */
export function useChosenChunk(chosen: string | undefined, list: ChunkedList): boolean {
  const shown = useRef<string | undefined>(undefined);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const parts = data?.parts ?? [];
  const isThere = parts.some(({ chunks }) => chunks.some(({ id }) => id === chosen));
  // After a failure it is up to the reader to try again.
  const isAbleTo = hasNextPage && !list.isFetchNextPageError && parts.length < MAX_PAGES;
  const isLooking = chosen !== undefined && data !== undefined && !isThere && isAbleTo;
  useEffect(() => {
    if (isLooking && !isFetchingNextPage) void fetchNextPage();
  }, [isLooking, isFetchingNextPage, fetchNextPage]);
  useEffect(() => {
    if (chosen === undefined || !isThere || shown.current === chosen) return;
    shown.current = chosen;
    const element = document.getElementById(chunkElementId(chosen));
    element?.scrollIntoView({ block: 'center' });
    element?.focus({ preventScroll: true });
  }, [chosen, isThere]);
  return isLooking;
}

export function chunkElementId(id: string): string {
  return `chunk-${id}`;
}
