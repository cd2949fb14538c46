import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { UploadFilters } from './upload-filters.tsx';
import { UploadTable } from './upload-table.tsx';
import { useUploadList } from './use-upload-list.ts';

const route = getRouteApi('/jobs');

/** The uploads that the key reaches, newest first. */
export function UploadList() {
  return (
    <>
      <UploadFilters />
      <FoundUploads />
    </>
  );
}

function FoundUploads() {
  const list = useUploadList(route.useSearch());
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (list.isPending) return <Loading />;
  if (list.data.length === 0 && !list.hasNextPage) return <NoUploads />;
  return (
    <Stack>
      {list.data.length === 0 ? (
        <Text size="sm" c="dimmed" ta="center">
          {jobsTexts.scanning}
        </Text>
      ) : (
        <UploadTable uploads={list.data} />
      )}
      <MoreButton list={list} />
    </Stack>
  );
}

function NoUploads() {
  const { status, collection } = route.useSearch();
  const navigate = route.useNavigate();
  if (status !== undefined || collection !== undefined)
    return <NothingFound texts={jobsTexts.nothingFound} onClear={() => void navigate({ search: {} })} />;
  return <EmptyState icon="upload" title={jobsTexts.empty.title} advice={jobsTexts.empty.advice} />;
}
