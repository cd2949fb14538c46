import { type ReactNode, useEffect } from 'react';
import { Group, Stack, Text, Title } from '@mantine/core';
import { shellTexts } from '../texts/shell-texts.ts';

export type PageHeaderProps = { title: string; description?: ReactNode; above?: ReactNode; actions?: ReactNode };

/** The heading of a page, with what can be done there; also the title of the tab. */
export function PageHeader({ title, description, above, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · ${shellTexts.product}`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-end" gap="md" mb="lg">
      <Stack gap={4} miw={0}>
        {above}
        {/* Takes the focus when what had it is gone. */}
        <Title order={1} size="h2" className="break-anywhere" tabIndex={-1}>
          {title}
        </Title>
        {description === undefined ? null : (
          <Text c="dimmed" size="sm" className="break-anywhere">
            {description}
          </Text>
        )}
      </Stack>
      {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
