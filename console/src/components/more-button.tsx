import { Button, Group, Loader, Stack } from '@mantine/core';
import { shellTexts } from '../texts/shell-texts.ts';
import { ErrorNotice } from './error-notice.tsx';

type PagedList = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => Promise<unknown>;
};

export type MoreButtonProps = {
  list: PagedList;
  label?: string;
  /** Called before the next page is loaded. */
  onMore?: () => void;
};

/** Shows the next page of a list; nothing when there is none. It keeps the focus while it loads, which a disabled button loses. */
export function MoreButton({ list, label = shellTexts.more, onMore }: MoreButtonProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = list;
  if (!hasNextPage) return null;
  const showMore = () => {
    if (isFetchingNextPage) return;
    onMore?.();
    void fetchNextPage();
  };
  const loader = isFetchingNextPage ? <Loader size={14} aria-hidden /> : null;
  return (
    <Stack gap="sm">
      {isFetchNextPageError && error !== null ? <ErrorNotice error={error} /> : null}
      <Group justify="center">
        <Button variant="default" aria-busy={isFetchingNextPage} leftSection={loader} onClick={showMore}>
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
