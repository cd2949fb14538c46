import { Progress, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';

export type UploadProgressProps = {
  upload: Pick<Schemas['UploadSummary'], 'status' | 'progress' | 'failed_uploads'>;
  /** What it is the progress of, for screen readers. */
  name: string;
};

/** How many of the contents are done, and how many failed or were not accepted. */
export function UploadProgress({ upload: { status, progress, failed_uploads: rejected }, name }: UploadProgressProps) {
  const { settled, total, percent, by_status: byStatus } = progress;
  const failed = byStatus['failed'] ?? 0;
  const isOpen = status === 'running' || status === 'paused';
  return (
    <Stack gap={4}>
      {isOpen ? (
        <Progress value={percent} size="sm" aria-label={name} color={status === 'paused' ? 'yellow' : ''} />
      ) : null}
      <Text size="xs" c="dimmed">
        {jobsTexts.settled(formatCount(settled), formatCount(total))}
      </Text>
      {failed + rejected === 0 ? null : (
        <Text size="xs" c="var(--mantine-color-error)">
          {[
            ...(failed === 0 ? [] : [jobsTexts.failures(formatCount(failed))]),
            ...(rejected === 0 ? [] : [jobsTexts.rejected(formatCount(rejected))]),
          ].join(' · ')}
        </Text>
      )}
    </Stack>
  );
}
