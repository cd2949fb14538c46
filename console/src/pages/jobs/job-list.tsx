import type { ReactNode } from 'react';
import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import type { IconName } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import type { useJobList } from './use-job-list.ts';

const route = getRouteApi('/jobs');

export type JobListProps<Job extends { status: string }> = {
  list: ReturnType<typeof useJobList<Job>>;
  icon: IconName;
  /** What is said of a list that never had anything. */
  empty: { title: string; advice: string };
  children: (jobs: readonly Job[]) => ReactNode;
};

/** A list of jobs in each of its states. */
export function JobList<Job extends { status: string }>({ list, icon, empty, children }: JobListProps<Job>) {
  const { status, kind, collection } = route.useSearch();
  const navigate = route.useNavigate();
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (list.isPending) return <Loading />;
  if (list.data.length === 0 && !list.hasNextPage) {
    if ((status ?? kind ?? collection) === undefined) return <EmptyState icon={icon} {...empty} />;
    const clear = () => void navigate({ search: ({ tab }) => (tab === undefined ? {} : { tab }) });
    return <NothingFound texts={jobsTexts.nothingFound} onClear={clear} />;
  }
  return (
    <Stack>
      {list.data.length === 0 ? (
        <Text size="sm" c="dimmed" ta="center">
          {jobsTexts.scanning}
        </Text>
      ) : (
        children(list.data)
      )}
      <MoreButton list={list} />
    </Stack>
  );
}
