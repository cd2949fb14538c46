import { Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FindById } from '../../components/jobs/find-by-id.tsx';
import { JobCard } from '../../components/jobs/job-card.tsx';
import { type StatusMark, StatusText } from '../../components/status-text.tsx';
import { Loading } from '../../components/loading.tsx';
import { Time } from '../../components/time.tsx';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { useCancelCompression, useCompression } from './use-jobs.ts';

/** Without what is not shown. */
type Job = Omit<Schemas['CompressionJob'], 'metadata' | 'content'>;
const route = getRouteApi('/jobs');
const texts = jobsTexts.compressions;
const MARKS: Readonly<Record<Job['status'], StatusMark>> = {
  pending: 'working',
  running: 'working',
  completed: 'good',
  failed: 'bad',
  cancelled: 'idle',
};

/** A compression job, by its id. */
export function CompressionFinder() {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useCompression(id);
  return (
    <Stack gap="lg">
      <FindById
        label={texts.label}
        explanation={texts.explanation}
        value={id}
        onFind={(found) => void navigate({ search: { tab: 'compressions', id: found } })}
      />
      {id === undefined ? null : error !== null ? (
        <ErrorNotice error={error} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <FoundJob job={data} />
      )}
    </Stack>
  );
}

function FoundJob({ job }: { job: Job }) {
  const { may } = useSession();
  const cancelling = useCancelCompression(job.job_id);
  const { status, error, created_at: createdAt } = job;
  const isOpen = status === 'pending' || status === 'running';
  return (
    <JobCard
      title={texts.title}
      status={<StatusText mark={MARKS[status]} text={texts.status[status]} />}
      actions={
        <Group gap="md">
          {isOpen && may('compress:write') ? (
            <Button
              size="compact-sm"
              variant="default"
              loading={cancelling.isPending}
              onClick={() => cancelling.mutate()}
            >
              {jobsTexts.control.cancel}
            </Button>
          ) : null}
          <WorkflowLink workflowId={`compress/${job.job_id}`} name={texts.title} />
        </Group>
      }
    >
      <Text size="sm">
        {texts.started} <Time at={createdAt} />
      </Text>
      <JobFacts job={job} />
      {error === null ? null : (
        <Text size="sm" c="var(--mantine-color-error)" className="break-anywhere">
          {error.message}
        </Text>
      )}
      {cancelling.error === null ? null : <ErrorNotice error={cancelling.error} />}
    </JobCard>
  );
}

function JobFacts({ job }: { job: Job }) {
  const { progress, strategy_used: used, strategy, original_tokens: before, compressed_tokens: after } = job;
  const facts = [
    used ?? strategy,
    ...(progress.windows_total === null
      ? []
      : [texts.parts(formatCount(progress.windows_done), formatCount(progress.windows_total))]),
    ...(before === null || after === null ? [] : [texts.tokens(formatCount(before), formatCount(after))]),
  ];
  return (
    <Text size="sm" c="dimmed">
      {facts.join(' · ')}
    </Text>
  );
}
