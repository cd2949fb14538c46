import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { DeletionReceipt } from '../../components/deletion/deletion-receipt.tsx';
import { FindById } from '../../components/jobs/find-by-id.tsx';
import { JobCard } from '../../components/jobs/job-card.tsx';
import { Time } from '../../components/time.tsx';
import { useDeletion } from '../../components/deletion/use-deletion.ts';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';

const route = getRouteApi('/jobs');
const texts = jobsTexts.deletions;
/** As the service calls the workflows of deletions. */
const WORKFLOWS: Readonly<Record<Schemas['Deletion']['kind'], string>> = {
  content: 'delete-content',
  collection: 'delete-collection',
  workspace: 'delete-workspace',
  user_memories: 'forget-user',
};

/** The receipt of a deletion, by its id. */
export function DeletionFinder() {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Stack gap="lg">
      <FindById
        label={texts.label}
        explanation={texts.explanation}
        value={id}
        onFind={(found) => void navigate({ search: { tab: 'deletions', id: found } })}
      />
      {id === undefined ? null : <FoundDeletion key={id} id={id} />}
    </Stack>
  );
}

function FoundDeletion({ id }: { id: string }) {
  const { data: deletion } = useDeletion(id);
  if (deletion === undefined) return <DeletionReceipt deletionId={id} />;
  const { kind, user_id: user, created_at: createdAt } = deletion;
  const title = texts.kind[kind];
  return (
    <JobCard
      title={title}
      status={<Time at={createdAt} />}
      actions={<WorkflowLink workflowId={`${WORKFLOWS[kind]}/${id}`} name={title} />}
    >
      {user === null ? null : (
        <Text size="sm" fw={600} className="break-anywhere">
          {user}
        </Text>
      )}
      <DeletionReceipt deletionId={id} />
    </JobCard>
  );
}
