import { Anchor, Group } from '@mantine/core';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { Icon } from '../icon.tsx';
import { useWorkflowAddress } from './use-workflow-address.ts';

/** Leads to a workflow in the Temporal UI, where its address is known. */
export function WorkflowLink({ workflowId, name }: { workflowId: string | null; name: string }) {
  const address = useWorkflowAddress()(workflowId);
  if (address === null) return null;
  return (
    <Anchor href={address} target="_blank" rel="noreferrer" size="sm" aria-label={jobsTexts.workflowOf(name)}>
      <Group gap={4} wrap="nowrap" component="span">
        {jobsTexts.workflow}
        <Icon name="external" size={14} />
      </Group>
    </Anchor>
  );
}
