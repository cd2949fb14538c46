import { Progress, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { keyOf } from '../../components/filters/is-key.ts';
import type { UploadAction } from '../../components/jobs/use-control-upload.ts';
import { type StatusMark, StatusText } from '../../components/status-text.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { JobFilters } from './job-filters.tsx';
import { JobList } from './job-list.tsx';
import { JobMenu } from './job-menu.tsx';
import { JobTable } from './job-table.tsx';
import { useHasMenus } from './use-has-menus.ts';
import { useJobList } from './use-job-list.ts';
import { useControlReembedding } from './use-jobs.ts';

type ReembeddingProps = { job: Schemas['Reembedding'] };
type Status = ReembeddingProps['job']['status'];

const route = getRouteApi('/jobs');
const texts = jobsTexts.index;
const MARKS: Partial<Record<Status, StatusMark>> = {
  paused: 'waiting',
  completed: 'good',
  cancelled: 'idle',
  failed: 'bad',
};
const ACTIONS: Partial<Record<Status, readonly UploadAction[]>> = {
  pending: ['pause', 'cancel'],
  building: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
};

/** The changes of the embedders of the collections that the key reaches, newest first. */
export function ReembeddingList() {
  const hasMenus = useHasMenus('collections:write');
  return (
    <>
      <JobFilters statuses={texts.status} also="collection" />
      <JobList list={useReembeddings()} icon="restore" empty={texts.empty}>
        {(changes) => (
          <JobTable
            name={texts.name}
            jobs={changes}
            idOf={({ id }) => id}
            Name={ReembeddingName}
            Status={ReembeddingStatus}
            Progress={ReembeddingProgress}
            Menu={hasMenus ? ReembeddingMenu : null}
          />
        )}
      </JobList>
    </>
  );
}

function useReembeddings() {
  const { loci } = useSession();
  const { status: name, collection } = route.useSearch();
  const status = keyOf(texts.status, name);
  const filters = {
    ...(status === undefined ? {} : { status }),
    ...(collection === undefined ? {} : { collection_id: collection }),
  };
  return useJobList(queryKeys.jobs('reembed', filters), async (page, signal) =>
    dataOf(loci.api.GET('/api/v1/reembeddings', { params: { query: { ...filters, ...page } }, signal })),
  );
}

function useNameOf({ collection_id: id }: ReembeddingProps['job']): string {
  return useCollectionNames().data?.get(id) ?? id;
}

function ReembeddingName({ job }: ReembeddingProps) {
  const { collection_id: collectionId, from, to } = job;
  return (
    <>
      <TextLink to="/collections/$collectionId" params={{ collectionId }} size="sm" fw={600} className="break-anywhere">
        {useNameOf(job)}
      </TextLink>
      <Text size="xs" c="dimmed" className="break-anywhere">
        {texts.fromTo(from.model, to.model)}
      </Text>
    </>
  );
}

function ReembeddingStatus({ job: { status } }: ReembeddingProps) {
  return <StatusText mark={MARKS[status] ?? 'working'} text={texts.status[status]} />;
}

function ReembeddingProgress({ job }: ReembeddingProps) {
  const { contents, total_contents: total, completed_at: end, status_message: message } = job;
  const name = useNameOf(job);
  return (
    <Stack gap={4}>
      {end === null ? (
        <Progress value={total === 0 ? 0 : (100 * contents) / total} size="sm" aria-label={name} />
      ) : null}
      <Text size="xs" c="dimmed">
        {texts.contents(formatCount(contents), formatCount(total))}
      </Text>
      {message === null ? null : (
        <Text size="xs" className="break-anywhere">
          {message}
        </Text>
      )}
    </Stack>
  );
}

function ReembeddingMenu({ job }: ReembeddingProps) {
  const { collection_id: collectionId, workflow_id: workflowId, status } = job;
  const mayChange = useSession().mayChange(collectionId, 'collections:write');
  return (
    <JobMenu
      name={useNameOf(job)}
      workflowId={workflowId}
      actions={mayChange ? (ACTIONS[status] ?? []) : []}
      control={useControlReembedding(collectionId)}
    />
  );
}
