import { Button, Group, Progress, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { JobCard } from '../../components/jobs/job-card.tsx';
import { type StatusMark, StatusText } from '../../components/status-text.tsx';
import { Loading } from '../../components/loading.tsx';
import { Time } from '../../components/time.tsx';
import type { UploadAction } from '../../components/jobs/use-control-upload.ts';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { useControlReembedding, useReembedding } from './use-jobs.ts';

type Reembedding = Schemas['Reembedding'];
const texts = jobsTexts.index;
const MARKS: Partial<Record<Reembedding['status'], StatusMark>> = {
  paused: 'waiting',
  completed: 'good',
  cancelled: 'idle',
  failed: 'bad',
};
const ACTIONS: Partial<Record<Reembedding['status'], readonly UploadAction[]>> = {
  pending: ['pause', 'cancel'],
  building: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
};

/** The change of embedder of a collection that goes on, or the last one. */
export function ReembeddingCard({ collectionId }: { collectionId: string }) {
  const { data, error, isPending } = useReembedding(collectionId);
  if (error !== null) return <ErrorNotice error={error} />;
  if (isPending) return <Loading />;
  if (data === null) return <Text size="sm">{texts.none}</Text>;
  return <FoundReembedding reembedding={data} />;
}

function FoundReembedding({ reembedding }: { reembedding: Reembedding }) {
  const { id, status, status_message: message, from, to, contents, total_contents: total } = reembedding;
  return (
    <JobCard
      title={texts.reembedding}
      status={<StatusText mark={MARKS[status] ?? 'working'} text={texts.status[status]} />}
      actions={
        <Group gap="md">
          <Controls reembedding={reembedding} />
          <WorkflowLink workflowId={`reembed/${id}`} name={texts.reembedding} />
        </Group>
      }
    >
      <Text size="sm" className="break-anywhere">
        {texts.fromTo(from.model, to.model)}
      </Text>
      <Progress value={total === 0 ? 100 : (100 * contents) / total} size="sm" aria-label={texts.reembedding} />
      <Text size="sm" c="dimmed">
        {texts.contents(formatCount(contents), formatCount(total))} · {jobsTexts.started}{' '}
        <Time at={reembedding.created_at} />
      </Text>
      {message === null ? null : (
        <Text size="sm" className="break-anywhere">
          {message}
        </Text>
      )}
    </JobCard>
  );
}

function Controls({ reembedding: { collection_id: collectionId, status } }: { reembedding: Reembedding }) {
  const { mayChange } = useSession();
  const control = useControlReembedding(collectionId);
  const actions = mayChange(collectionId, 'collections:write') ? (ACTIONS[status] ?? []) : [];
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action}
          size="compact-sm"
          variant="default"
          loading={control.isPending}
          onClick={() => control.mutate(action)}
        >
          {jobsTexts.control[action]}
        </Button>
      ))}
      {control.error === null ? null : <ErrorNotice error={control.error} />}
    </>
  );
}
