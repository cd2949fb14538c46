import { Button, Group } from '@mantine/core';
import { shellTexts } from '../texts/shell-texts.ts';

type PagedList = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };

/** Shows the next page of a list below what is shown; nothing when there is none. */
export function MoreButton({ list }: { list: PagedList }) {
  if (!list.hasNextPage) return null;
  return (
    <Group justify="center">
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {shellTexts.more}
      </Button>
    </Group>
  );
}
