import type { ReactNode } from 'react';
import { Group, Paper, Stack, Title } from '@mantine/core';

export type JobCardProps = { title: string; status: ReactNode; actions?: ReactNode; children: ReactNode };

/** A job that is looked at by itself. */
export function JobCard({ title, status, actions, children }: JobCardProps) {
  return (
    <Paper withBorder radius="lg" p="md" component="section" aria-label={title} maw={560}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2} size="h5">
            {title}
          </Title>
          {status}
        </Group>
        {children}
        {actions}
      </Stack>
    </Paper>
  );
}
