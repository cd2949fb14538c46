import { Code, Paper, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { PageSection } from '../../components/page-section.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';

const texts = jobsTexts.upload;

/** What the service did not accept, and why. */
export function RejectedItems({ errors }: { errors: readonly Schemas['UploadError'][] }) {
  if (errors.length === 0) return null;
  return (
    <PageSection title={texts.rejected} explanation={texts.rejectedAdvice}>
      <Paper withBorder radius="lg" px="md">
        {errors.map(({ name, code, message }, at) => (
          // Two items may have the same name, and they never change.
          <Stack key={at} gap={2} py="sm" className="listed">
            <Text size="sm" fw={600} className="break-anywhere">
              {name}
            </Text>
            <Text size="sm" className="break-anywhere">
              {message} <Code fz="xs">{code}</Code>
            </Text>
          </Stack>
        ))}
      </Paper>
    </PageSection>
  );
}
