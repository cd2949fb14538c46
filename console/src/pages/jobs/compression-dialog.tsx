import { Code, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { ExactTime } from '../../components/time.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { CompressionProgress, CompressionStatus } from './compression-status.tsx';
import { useCompression } from './use-jobs.ts';

const route = getRouteApi('/jobs');
const texts = jobsTexts.compressions;

/** A compression job with its result. The id is in the address of the page. */
export function CompressionDialog({ id }: { id: string }) {
  const navigate = route.useNavigate();
  const close = () => void navigate({ search: ({ id: _closed, ...rest }) => rest });
  return (
    <Dialog opened onClose={close} title={texts.title} size="lg" centered>
      <Loaded query={useCompression(id)}>{(job) => <Result job={job} />}</Loaded>
    </Dialog>
  );
}

function Result({ job }: { job: Omit<Schemas['CompressionJob'], 'metadata'> }) {
  const { content, expires_at: expiry, workflow_id: workflowId } = job;
  return (
    <Stack>
      <Group gap="md">
        <CompressionStatus job={job} />
        <CompressionProgress job={job} />
      </Group>
      {content === null ? null : (
        <>
          <Group gap={4}>
            <Text size="sm" fw={600}>
              {texts.result}
            </Text>
            <CopyButton text={content} label={texts.copy} />
          </Group>
          <Code block className="break-anywhere" mah={400} tabIndex={0} style={{ whiteSpace: 'pre-wrap' }}>
            {content}
          </Code>
        </>
      )}
      {expiry === null ? null : (
        <Text size="xs" c="dimmed">
          {texts.kept} <ExactTime at={expiry} />
        </Text>
      )}
      <WorkflowLink workflowId={workflowId} name={texts.title} />
    </Stack>
  );
}
