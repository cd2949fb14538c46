import type { ReactNode } from 'react';
import { Group, type MantineSpacing, Stack, Text, Title } from '@mantine/core';

export type PageSectionProps = {
  title: string;
  explanation?: string;
  actions?: ReactNode;
  mt?: MantineSpacing;
  children: ReactNode;
};

/** A part of a page with a heading. */
export function PageSection({ title, explanation, actions, mt = 0, children }: PageSectionProps) {
  return (
    <Stack gap="sm" mt={mt} component="section" aria-label={title}>
      <Group justify="space-between" align="flex-end" gap="sm">
        <Stack gap={2} miw={0}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {explanation === undefined ? null : (
            <Text size="sm" c="dimmed">
              {explanation}
            </Text>
          )}
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
