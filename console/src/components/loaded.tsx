import type { ReactNode } from 'react';
import { Box } from '@mantine/core';
import { ErrorNotice } from './error-notice.tsx';
import { Loading } from './loading.tsx';

/** What TanStack Query knows of something that is loaded. */
export type LoadedQuery<Data> = {
  data: Data | undefined;
  error: Error | null;
  refetch: () => Promise<unknown>;
  /** Of lists: `MoreButton` says so where the next page was asked for. */
  isFetchNextPageError?: boolean;
};

export type LoadedProps<Data> = { query: LoadedQuery<Data>; children: (data: Data) => ReactNode };

/**
 * Shows what was loaded. When it cannot be loaded again, it stays, with the reason above it: what somebody is doing there, such as a
 * draft, an open dialog or a secret that is shown once, would be lost otherwise.
 */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, refetch, isFetchNextPageError = false } = query;
  const notice = error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return notice ?? <Loading />;
  return (
    <>
      {notice === null || isFetchNextPageError ? null : <Box mb="md">{notice}</Box>}
      {children(data)}
    </>
  );
}
