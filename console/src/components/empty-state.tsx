import type { ReactNode } from 'react';
import { Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { Icon, type IconName } from './icon.tsx';

export type EmptyStateProps = { icon: IconName; title: string; advice: string; action?: ReactNode };

/** Says why there is nothing to see, and what to do. */
export function EmptyState({ icon, title, advice, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="sm" py={64} px="md" ta="center">
      <ThemeIcon variant="default" size={56} radius="xl">
        <Icon name={icon} size={28} />
      </ThemeIcon>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" size="sm" maw={440}>
        {advice}
      </Text>
      {action}
    </Stack>
  );
}
