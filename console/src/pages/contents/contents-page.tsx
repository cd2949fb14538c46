import { useCallback, useState } from 'react';
import { Alert, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { AddMenu } from '../../uploads/add-menu.tsx';
import { DropArea } from '../../uploads/drop-area.tsx';
import type { DroppedFile } from '../../uploads/read-dropped.ts';
import { UploadPanel } from '../../uploads/upload-panel.tsx';
import { useAddUploads } from '../../uploads/use-uploads.ts';
import { ContentFilters } from './content-filters.tsx';
import { ContentTable } from './content-table.tsx';
import { DeleteContentDialog } from './delete-content-dialog.tsx';
import { useCollection, useContents } from './use-contents.ts';

const route = getRouteApi('/collections/$collectionId');

/** What a collection contains. */
export function ContentsPage() {
  const { collectionId } = route.useParams();
  return (
    <Loaded query={useCollection(collectionId)}>
      {(collection) => <CollectionContents collection={collection} />}
    </Loaded>
  );
}

function CollectionContents({ collection }: { collection: Schemas['Collection'] }) {
  const { mayChange } = useSession();
  const { id, name, description, status } = collection;
  const mayAdd = mayChange(id, 'uploads:write') && status === 'active';
  const addFiles = useAddFiles(id);
  const [deleted, setDeleted] = useState<Schemas['Content'] | null>(null);
  const above = (
    <TextLink to="/collections" size="sm">
      {contentsTexts.collections}
    </TextLink>
  );
  return (
    <>
      <PageHeader
        title={name}
        description={description ?? undefined}
        above={above}
        actions={mayAdd ? <AddMenu collectionId={id} onFiles={addFiles} /> : undefined}
      />
      {status === 'archived' ? (
        <Alert color="gray" mb="md">
          {contentsTexts.isArchived}
        </Alert>
      ) : null}
      {mayAdd ? <DropArea onDrop={addFiles} /> : null}
      <UploadPanel collectionId={id} />
      <ContentFilters />
      <ContentList collection={collection} mayAdd={mayAdd} onDelete={setDeleted} />
      {deleted === null ? null : (
        <DeleteContentDialog key={deleted.id} collectionId={id} content={deleted} onClose={() => setDeleted(null)} />
      )}
    </>
  );
}

function useAddFiles(collectionId: string): (files: DroppedFile[]) => void {
  const { add } = useAddUploads(collectionId);
  return useCallback((files) => add(files.map(({ name, file }) => ({ name, source: { kind: 'file', file } }))), [add]);
}

type ContentListProps = {
  collection: Schemas['Collection'];
  mayAdd: boolean;
  onDelete: (content: Schemas['Content']) => void;
};

function ContentList({ collection, mayAdd, onDelete }: ContentListProps) {
  const filter = route.useSearch();
  const list = useContents(collection.id, filter);
  return (
    <Loaded query={list}>
      {(contents) =>
        contents.length === 0 && !list.hasNextPage ? (
          <NoContents collection={collection} mayAdd={mayAdd} />
        ) : (
          <Stack>
            <ContentTable collection={collection} contents={contents} onDelete={onDelete} />
            <MoreButton list={list} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function NoContents({ collection, mayAdd }: { collection: Schemas['Collection']; mayAdd: boolean }) {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  if (filter.search !== undefined || filter.status !== undefined) {
    return <NothingFound texts={contentsTexts.nothingFound} onClear={() => void navigate({ search: {} })} />;
  }
  const { title, advice, adviceReading, adviceArchived } = contentsTexts.empty;
  const said = mayAdd ? advice : collection.status === 'active' ? adviceReading : adviceArchived;
  return <EmptyState icon="upload" title={title} advice={said} />;
}
