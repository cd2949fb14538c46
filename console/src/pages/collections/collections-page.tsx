import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import { CollectionFilters } from './collection-filters.tsx';
import { CollectionTable } from './collection-table.tsx';
import type { CollectionFilter } from './collection-filter.ts';
import { CreateCollectionDialog } from './create-collection-dialog.tsx';
import { useCollections } from './use-collections.ts';

const route = getRouteApi('/collections');

/** All collections that the key reaches. */
export function CollectionsPage() {
  const { may } = useSession();
  const filter = route.useSearch();
  const [isCreating, { open, close }] = useDisclosure();
  const mayWrite = may('collections:write');
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {collectionsTexts.create}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={collectionsTexts.title}
        description={collectionsTexts.description}
        actions={mayWrite ? create : null}
      />
      <CollectionFilters filter={filter} />
      <CollectionList filter={filter} onCreate={mayWrite ? open : null} />
      <CreateCollectionDialog isOpen={isCreating} onClose={close} />
    </>
  );
}

function CollectionList({ filter, onCreate }: { filter: CollectionFilter; onCreate: (() => void) | null }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useCollections(filter);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading />;
  if (data.length === 0) return <NoCollections filter={filter} onCreate={onCreate} />;
  return (
    <Stack>
      <CollectionTable collections={data} />
      {hasNextPage ? (
        <Group justify="center">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {shellTexts.more}
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

function NoCollections({ filter, onCreate }: { filter: CollectionFilter; onCreate: (() => void) | null }) {
  const navigate = route.useNavigate();
  if (filter.search !== undefined || filter.status !== undefined) {
    const { title, advice, clear } = collectionsTexts.nothingFound;
    const remove = (
      <Button variant="default" onClick={() => void navigate({ search: {} })}>
        {clear}
      </Button>
    );
    return <EmptyState icon="search" title={title} advice={advice} action={remove} />;
  }
  const { title, advice, adviceReading } = collectionsTexts.empty;
  if (onCreate === null) return <EmptyState icon="collections" title={title} advice={adviceReading} />;
  const create = <Button onClick={onCreate}>{collectionsTexts.create}</Button>;
  return <EmptyState icon="collections" title={title} advice={advice} action={create} />;
}
