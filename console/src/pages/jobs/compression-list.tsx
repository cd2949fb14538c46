import { Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { keyOf } from '../../components/filters/is-key.ts';
import { TextLink } from '../../components/text-link.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { CompressionDialog } from './compression-dialog.tsx';
import { CompressionProgress, CompressionStatus } from './compression-status.tsx';
import { JobFilters } from './job-filters.tsx';
import { JobList } from './job-list.tsx';
import { JobMenu } from './job-menu.tsx';
import { JobTable } from './job-table.tsx';
import { useCancelCompression } from './use-jobs.ts';
import { useHasMenus } from './use-has-menus.ts';
import { goesOn, useJobList } from './use-job-list.ts';

type CompressionProps = { job: Schemas['CompressionSummary'] };

const route = getRouteApi('/jobs');
const texts = jobsTexts.compressions;

/** The compression jobs that the key may read, newest first. */
export function CompressionList() {
  const { id } = route.useSearch();
  const hasMenus = useHasMenus('compress:write');
  return (
    <>
      <JobFilters statuses={texts.status} />
      <JobList list={useCompressions()} icon="archive" empty={texts.empty}>
        {(jobs) => (
          <JobTable
            name={texts.name}
            jobs={jobs}
            idOf={(job) => job.job_id}
            Name={CompressionName}
            Status={CompressionStatus}
            Progress={CompressionProgress}
            Menu={hasMenus ? CompressionMenu : null}
          />
        )}
      </JobList>
      {id === undefined ? null : <CompressionDialog key={id} id={id} />}
    </>
  );
}

function useCompressions() {
  const { loci } = useSession();
  const status = keyOf(texts.status, route.useSearch().status);
  const filters = status === undefined ? {} : { status };
  return useJobList(queryKeys.jobs('compress', filters), async (page, signal) =>
    dataOf(loci.api.GET('/api/v1/compress', { params: { query: { ...filters, ...page } }, signal })),
  );
}

function CompressionName({ job: { job_id: id, strategy, strategy_used: used } }: CompressionProps) {
  return (
    <>
      <TextLink to="/jobs" search={(before) => ({ ...before, id })} size="sm" fw={600}>
        {texts.strategy[used ?? strategy]}
      </TextLink>
      <Text size="xs" c="dimmed" className="break-anywhere">
        {id}
      </Text>
    </>
  );
}

function CompressionMenu({ job }: CompressionProps) {
  const mayCancel = useSession().may('compress:write') && goesOn(job);
  const cancelling = useCancelCompression(job.job_id);
  return (
    <JobMenu
      name={texts.title}
      workflowId={job.workflow_id}
      actions={mayCancel ? ['cancel'] : []}
      control={{ ...cancelling, mutate: () => cancelling.mutate() }}
    />
  );
}
