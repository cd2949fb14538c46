import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { DeletionReceipt } from '../../components/deletion/deletion-receipt.tsx';
import { keyOf } from '../../components/filters/is-key.ts';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { StatusText } from '../../components/status-text.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useDeletion } from '../../components/deletion/use-deletion.ts';
import { formatCount } from '../../format/format-count.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { JobFilters } from './job-filters.tsx';
import { JobList } from './job-list.tsx';
import { JobTable } from './job-table.tsx';
import { useJobList } from './use-job-list.ts';

type DeletionProps = { job: Schemas['Deletion'] };

const route = getRouteApi('/jobs');
const texts = jobsTexts.deletions;

/** The deletions whose receipts the key may read, newest first. */
export function DeletionList() {
  const { id } = route.useSearch();
  return (
    <>
      <JobFilters statuses={texts.status} also="kind" />
      <JobList list={useDeletions()} icon="trash" empty={texts.empty}>
        {(deletions) => (
          <JobTable
            name={texts.name}
            jobs={deletions}
            idOf={(deletion) => deletion.id}
            Name={DeletionName}
            Status={DeletionStatus}
            Progress={DeletionProgress}
            Menu={null}
          />
        )}
      </JobList>
      {id === undefined ? null : <ReceiptDialog key={id} id={id} />}
    </>
  );
}

function useDeletions() {
  const { loci } = useSession();
  const { status: name, kind } = route.useSearch();
  const status = keyOf(texts.status, name);
  const filters = { ...(status === undefined ? {} : { status }), ...(kind === undefined ? {} : { kind }) };
  return useJobList(queryKeys.jobs('deletions', filters), async (page, signal) =>
    dataOf(loci.api.GET('/api/v1/deletions', { params: { query: { ...filters, ...page } }, signal })),
  );
}

function DeletionName({ job: { id, kind, user_id: user, subject_id: subject } }: DeletionProps) {
  return (
    <>
      <TextLink to="/jobs" search={(before) => ({ ...before, id })} size="sm" fw={600}>
        {texts.kind[kind]}
      </TextLink>
      <Text size="xs" c="dimmed" className="break-anywhere">
        {user ?? subject}
      </Text>
    </>
  );
}

function DeletionStatus({ job: { status } }: DeletionProps) {
  return <StatusText mark={status === 'completed' ? 'good' : 'working'} text={texts.status[status]} />;
}

function DeletionProgress({ job: { removed, kind } }: DeletionProps) {
  const facts =
    kind === 'user_memories'
      ? [texts.memories(removed.memories, formatCount(removed.memories))]
      : [
          texts.contents(removed.contents, formatCount(removed.contents)),
          texts.chunks(removed.chunks, formatCount(removed.chunks)),
        ];
  return (
    <Text size="xs" c="dimmed">
      {facts.join(' · ')}
    </Text>
  );
}

/** What a deletion has removed. The id is in the address of the page. */
function ReceiptDialog({ id }: { id: string }) {
  const navigate = route.useNavigate();
  const { data: deletion } = useDeletion(id);
  const title = deletion === undefined ? texts.receipt : texts.kind[deletion.kind];
  const close = () => void navigate({ search: ({ id: _closed, ...rest }) => rest });
  return (
    <Dialog opened onClose={close} title={title} centered>
      <Stack>
        {deletion === undefined ? null : (
          <Text size="sm" fw={600} className="break-anywhere">
            {deletion.user_id ?? deletion.subject_id}
          </Text>
        )}
        <DeletionReceipt deletionId={id} />
        {deletion === undefined ? null : <WorkflowLink workflowId={deletion.workflow_id} name={title} />}
      </Stack>
    </Dialog>
  );
}
