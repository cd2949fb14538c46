import type { ReactNode } from 'react';
import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import type { IconName } from '../../components/icon.tsx';
import { Loaded } from '../../components/loaded.tsx';
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
  return (
    <Loaded query={list}>
      {(jobs) =>
        jobs.length === 0 && !list.hasNextPage ? (
          <NoJobs icon={icon} empty={empty} />
        ) : (
          <Stack>
            {jobs.length === 0 ? (
              <Text size="sm" c="dimmed" ta="center">
                {jobsTexts.scanning}
              </Text>
            ) : (
              children(jobs)
            )}
            <MoreButton list={list} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function NoJobs({ icon, empty }: Pick<JobListProps<never>, 'icon' | 'empty'>) {
  const { status, kind, collection } = route.useSearch();
  const navigate = route.useNavigate();
  if ((status ?? kind ?? collection) === undefined) return <EmptyState icon={icon} {...empty} />;
  const clear = () => void navigate({ search: ({ tab }) => (tab === undefined ? {} : { tab }) });
  return <NothingFound texts={jobsTexts.nothingFound} onClear={clear} />;
}
