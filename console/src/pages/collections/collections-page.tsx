import { useState } from 'react';
import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { AddButton } from '../../components/add-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { CollectionFilters } from './collection-filters.tsx';
import { CollectionTable } from './collection-table.tsx';
import type { CollectionFilter } from './collection-filter.ts';
import { CreateCollectionDialog } from './create-collection-dialog.tsx';
import { DeleteCollectionDialog } from './delete-collection-dialog.tsx';
import { useCollections } from './use-collections.ts';

const route = getRouteApi('/collections');

/** All collections that the key reaches. */
export function CollectionsPage() {
  const { may } = useSession();
  const filter = route.useSearch();
  const [isCreating, { open, close }] = useDisclosure();
  const [deleted, setDeleted] = useState<Schemas['Collection'] | null>(null);
  const mayWrite = may('collections:write');
  const create = <AddButton label={collectionsTexts.create} onClick={open} />;
  return (
    <>
      <PageHeader
        title={collectionsTexts.title}
        description={collectionsTexts.description}
        actions={mayWrite ? create : null}
      />
      <CollectionFilters filter={filter} />
      <CollectionList filter={filter} onCreate={mayWrite ? open : null} onDelete={setDeleted} />
      <CreateCollectionDialog isOpen={isCreating} onClose={close} />
      {deleted === null ? null : (
        <DeleteCollectionDialog key={deleted.id} collection={deleted} onClose={() => setDeleted(null)} />
      )}
    </>
  );
}

type CollectionListProps = {
  filter: CollectionFilter;
  onCreate: (() => void) | null;
  onDelete: (collection: Schemas['Collection']) => void;
};

function CollectionList({ filter, onCreate, onDelete }: CollectionListProps) {
  const list = useCollections(filter);
  return (
    <Loaded query={list}>
      {(collections) =>
        collections.length === 0 ? (
          <NoCollections filter={filter} onCreate={onCreate} />
        ) : (
          <Stack>
            <CollectionTable collections={collections} onDelete={onDelete} />
            <MoreButton list={list} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function NoCollections({ filter, onCreate }: { filter: CollectionFilter; onCreate: (() => void) | null }) {
  const navigate = route.useNavigate();
  if (filter.search !== undefined || filter.status !== undefined) {
    return <NothingFound texts={collectionsTexts.nothingFound} onClear={() => void navigate({ search: {} })} />;
  }
  const { title, advice, adviceReading } = collectionsTexts.empty;
  if (onCreate === null) return <EmptyState icon="collections" title={title} advice={adviceReading} />;
  const create = <Button onClick={onCreate}>{collectionsTexts.create}</Button>;
  return <EmptyState icon="collections" title={title} advice={advice} action={create} />;
}
