import { Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { JobCard } from '../../components/jobs/job-card.tsx';
import { StatusText } from '../../components/status-text.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageSection } from '../../components/page-section.tsx';
import { Time } from '../../components/time.tsx';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { ReembeddingList } from './reembedding-list.tsx';
import { useReindexing } from './use-jobs.ts';

const texts = jobsTexts.index;

/** Rebuilds of the index, and changes of embedders. */
export function IndexJobs() {
  const { may, access } = useSession();
  return (
    <Stack gap="xl">
      {may('workspaces:write') && access.collections === null ? <LastReindexing /> : null}
      <PageSection title={texts.reembedding}>
        <ReembeddingList />
      </PageSection>
    </Stack>
  );
}

function LastReindexing() {
  return (
    <PageSection title={texts.reindexing}>
      <Loaded query={useReindexing()}>
        {(reindexing) =>
          reindexing === null ? (
            <Text size="sm" c="dimmed">
              {texts.noReindexing}
            </Text>
          ) : (
            <ReindexingCard reindexing={reindexing} />
          )
        }
      </Loaded>
    </PageSection>
  );
}

function ReindexingCard({ reindexing }: { reindexing: Schemas['Reindexing'] }) {
  const {
    workflow_id: workflowId,
    status,
    contents,
    total_contents: total,
    memories,
    skipped_contents: skipped,
    rejected_contents: rejected,
  } = reindexing;
  const label = texts.reindexingStatus[status];
  return (
    <JobCard
      title={texts.reindexing}
      status={<StatusText mark={status === 'completed' ? 'good' : 'working'} text={label} />}
      actions={<WorkflowLink workflowId={workflowId} name={texts.reindexing} />}
    >
      <Text size="sm">
        {jobsTexts.started} <Time at={reindexing.created_at} />
      </Text>
      <Text size="sm" c="dimmed">
        {texts.reindexingFacts(formatCount(contents), formatCount(total), formatCount(memories))}
      </Text>
      {skipped === 0 ? null : <Text size="sm">{texts.skipped(formatCount(skipped))}</Text>}
      {rejected.length === 0 ? null : <Text size="sm">{texts.rejected(rejected.join(', '))}</Text>}
    </JobCard>
  );
}
