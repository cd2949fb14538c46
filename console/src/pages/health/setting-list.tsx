import { useState } from 'react';
import { Code, Group, Paper, Stack, Switch, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { PageSection } from '../../components/page-section.tsx';
import { SearchField } from '../../components/filters/search-field.tsx';
import { healthTexts } from '../../texts/health-texts.ts';

type Setting = Schemas['ServiceSetting'];
const texts = healthTexts.settings;

/** The settings in force, first those that somebody set. What may be a secret is not shown by the service. */
export function SettingList({ settings }: { settings: readonly Setting[] }) {
  const [search, setSearch] = useState<string>();
  const [hasDefaults, setHasDefaults] = useState(false);
  const wanted = search?.toLowerCase() ?? '';
  const shown = settings.filter(
    ({ name, is_set: isSet }) => (hasDefaults || isSet) && name.toLowerCase().includes(wanted),
  );
  return (
    <PageSection title={texts.title} explanation={texts.explanation}>
      <Group gap="md">
        <SearchField label={texts.search} value={search} onSearch={setSearch} />
        <Switch
          label={texts.withDefaults}
          checked={hasDefaults}
          onChange={(event) => setHasDefaults(event.currentTarget.checked)}
        />
      </Group>
      {shown.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : (
        <Paper withBorder radius="lg" px="md">
          {shown.map((setting) => (
            <SettingLine key={setting.name} setting={setting} />
          ))}
        </Paper>
      )}
    </PageSection>
  );
}

function SettingLine({ setting: { name, is_set: isSet, is_hidden: isHidden, value } }: { setting: Setting }) {
  return (
    <Group justify="space-between" gap="xs" py="xs" className="listed">
      <Code className="break-anywhere" bg="transparent" p={0} fz="sm">
        {name}
      </Code>
      <Stack gap={0} align="flex-end" miw={0}>
        <Text size="sm" className="break-anywhere" c={isHidden || value === null ? 'dimmed' : ''}>
          {isHidden ? texts.hidden : value === null || value === '' ? texts.empty : value}
        </Text>
        {isSet ? null : (
          <Text size="xs" c="dimmed">
            {texts.isDefault}
          </Text>
        )}
      </Stack>
    </Group>
  );
}
