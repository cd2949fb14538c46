import { Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { JobCard } from '../../components/jobs/job-card.tsx';
import { StatusText } from '../../components/status-text.tsx';
import { Loading } from '../../components/loading.tsx';
import { OneCollection } from '../../components/jobs/one-collection.tsx';
import { Time } from '../../components/time.tsx';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { ReembeddingCard } from './reembedding-card.tsx';
import { useReindexing } from './use-jobs.ts';

const route = getRouteApi('/jobs');
const texts = jobsTexts.index;

/** Rebuilds of the index, and changes of embedders. */
export function IndexJobs() {
  const { may, access } = useSession();
  const { collection } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Stack gap="xl">
      {may('workspaces:write') && access.collections === null ? <LastReindexing /> : null}
      <Stack gap="sm">
        <Title order={2} size="h4">
          {texts.reembedding}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.explanation}
        </Text>
        <OneCollection
          label={texts.choose}
          placeholder={texts.choose}
          value={collection}
          onChange={(id) => void navigate({ search: { tab: 'index', collection: id }, replace: true })}
        />
        {collection === undefined ? null : <ReembeddingCard collectionId={collection} />}
      </Stack>
    </Stack>
  );
}

function LastReindexing() {
  const { data, error, isPending } = useReindexing();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {texts.reindexing}
      </Title>
      {error !== null ? (
        <ErrorNotice error={error} />
      ) : isPending ? (
        <Loading />
      ) : data === null ? (
        <Text size="sm" c="dimmed">
          {texts.noReindexing}
        </Text>
      ) : (
        <ReindexingCard reindexing={data} />
      )}
    </Stack>
  );
}

function ReindexingCard({ reindexing }: { reindexing: Schemas['Reindexing'] }) {
  const { id, status, contents, total_contents: total, memories, skipped_contents: skipped } = reindexing;
  const label = texts.reindexingStatus[status];
  return (
    <JobCard
      title={texts.reindexing}
      status={<StatusText mark={status === 'completed' ? 'good' : 'working'} text={label} />}
      actions={<WorkflowLink workflowId={`reindex/${id}`} name={texts.reindexing} />}
    >
      <Text size="sm">
        {jobsTexts.started} <Time at={reindexing.created_at} />
      </Text>
      <Text size="sm" c="dimmed">
        {texts.reindexingFacts(formatCount(contents), formatCount(total), formatCount(memories))}
      </Text>
      {skipped === 0 ? null : <Text size="sm">{texts.skipped(formatCount(skipped))}</Text>}
    </JobCard>
  );
}
