import { Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { type StatusMark, StatusText } from '../../components/status-text.tsx';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';

type CompressionProps = { job: Schemas['CompressionSummary'] };

const texts = jobsTexts.compressions;
const MARKS: Readonly<Record<CompressionProps['job']['status'], StatusMark>> = {
  pending: 'working',
  running: 'working',
  completed: 'good',
  failed: 'bad',
  cancelled: 'idle',
};

export function CompressionStatus({ job: { status } }: CompressionProps) {
  return <StatusText mark={MARKS[status]} text={texts.status[status]} />;
}

/** How far a job is, how much shorter its text became, and what went wrong. */
export function CompressionProgress({ job }: CompressionProps) {
  const { progress, original_tokens: before, compressed_tokens: after, error } = job;
  const facts = [
    ...(progress.windows_total === null
      ? []
      : [texts.parts(formatCount(progress.windows_done), formatCount(progress.windows_total))]),
    ...(before === null || after === null ? [] : [texts.tokens(formatCount(before), formatCount(after))]),
  ];
  return (
    <>
      <Text size="xs" c="dimmed">
        {facts.join(' · ')}
      </Text>
      {error === null ? null : (
        <Text size="xs" c="var(--mantine-color-error)" className="break-anywhere">
          {error.message}
        </Text>
      )}
    </>
  );
}
