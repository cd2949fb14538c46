import { Checkbox, Fieldset, Radio, SimpleGrid, Stack } from '@mantine/core';
import type { Permission } from '../../api/permission.ts';
import { useSession } from '../../app/session.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';
import { permissionGroups } from '../../texts/permission-texts.ts';
import type { KeyDraft } from './key-draft.ts';

const texts = keysTexts.form;

export type PermissionFieldsProps = { draft: KeyDraft; onChange: (change: Partial<KeyDraft>) => void };

/** What the key may do: everything, reading, or each permission by itself. What the caller may not do is not offered. */
export function PermissionFields({ draft, onChange }: PermissionFieldsProps) {
  const { may } = useSession();
  return (
    <Stack gap="sm">
      <Radio.Group label={texts.may} value={draft.access} onChange={(access) => onChange({ access: access })}>
        <Stack gap="xs" mt="xs">
          <Radio value="reading" label={texts.reading} description={texts.readingHelp} />
          {may('*') ? <Radio value="everything" label={texts.everything} description={texts.everythingHelp} /> : null}
          <Radio value="chosen" label={texts.chosen} description={texts.chosenHelp} />
        </Stack>
      </Radio.Group>
      {draft.access === 'chosen' ? (
        <PermissionChoice chosen={draft.permissions} onChange={(permissions) => onChange({ permissions })} />
      ) : null}
    </Stack>
  );
}

type PermissionChoiceProps = { chosen: Permission[]; onChange: (chosen: Permission[]) => void };

function PermissionChoice({ chosen, onChange }: PermissionChoiceProps) {
  const { may } = useSession();
  const groups = permissionGroups.flatMap(({ title, permissions }) => {
    const entries = (Object.entries(permissions) as [Permission, string][]).filter(([name]) => may(name));
    return entries.length === 0 ? [] : [{ title, entries }];
  });
  return (
    <Checkbox.Group value={chosen} onChange={(values) => onChange(values)}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {groups.map(({ title, entries }) => (
          <Fieldset key={title} legend={title} p="sm" pt="xs">
            <Stack gap={8}>
              {entries.map(([name, words]) => (
                <Checkbox key={name} value={name} label={words} size="sm" title={name} />
              ))}
            </Stack>
          </Fieldset>
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
