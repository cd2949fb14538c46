import { type FormEvent, useState } from 'react';
import { Autocomplete, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { DialogForm } from '../../components/dialogs/dialog-form.tsx';
import { connectionsTexts } from '../../texts/connections-texts.ts';
import { useCreateConnection, useProviderTitles } from './use-connections.ts';

const texts = connectionsTexts.form;
/** Limits of the API. */
const MAX_NAME_CHARACTERS = 100;
const MAX_CHARACTERS = 255;
const MAX_SCOPE_CHARACTERS = 4_000;

type Type = Schemas['Connection']['integration_type'];
type Draft = { integration: string; type: Type; label: string; user: string; scope: string };

const EMPTY: Draft = { integration: '', type: 'connectors', label: '', user: '', scope: '' };
const TYPES = (Object.entries(connectionsTexts.type) as [Type, string][]).map(([value, label]) => ({ value, label }));

/** Returns what is sent to the API. */
function bodyOf({ integration, type, label, user, scope }: Draft): Schemas['CreateConnectionRequest'] {
  return {
    integration: integration.trim(),
    integration_type: type,
    label: label.trim() === '' ? null : label.trim(),
    config: scope.trim() === '' ? {} : { oauth: { scope: scope.trim() } },
    status: 'active',
    ...(user.trim() === '' ? {} : { user_id: user.trim() }),
  };
}

export type ConnectionFormProps = { onCreated: (connection: Schemas['Connection']) => void; onClose: () => void };

/** Asks for what is to be connected. */
export function ConnectionForm({ onCreated, onClose }: ConnectionFormProps) {
  const creating = useCreateConnection();
  const [draft, setDraft] = useState(EMPTY);
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate(bodyOf(draft), { onSuccess: onCreated });
  };
  return (
    <DialogForm submit={texts.submit} saving={creating} onSubmit={submit} onClose={onClose}>
      <ProviderFields draft={draft} onChange={change} />
      <OwnerFields draft={draft} onChange={change} />
    </DialogForm>
  );
}

type FieldsProps = { draft: Draft; onChange: (change: Partial<Draft>) => void };

function ProviderFields({ draft, onChange }: FieldsProps) {
  const { data: titles } = useProviderTitles();
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
        <Autocomplete
          label={texts.provider}
          description={texts.providerHelp}
          required
          data={[...(titles?.keys() ?? [])]}
          renderOption={({ option }) => titles?.get(option.value) ?? option.value}
          value={draft.integration}
          onChange={(integration) => onChange({ integration })}
          maxLength={MAX_NAME_CHARACTERS}
          data-autofocus
        />
        <NativeSelect
          label={texts.type}
          data={TYPES}
          value={draft.type}
          onChange={(event) => onChange({ type: event.currentTarget.value as Type })}
        />
      </SimpleGrid>
      <TextInput
        label={texts.scope}
        description={texts.scopeHelp}
        value={draft.scope}
        onChange={(event) => onChange({ scope: event.currentTarget.value })}
        maxLength={MAX_SCOPE_CHARACTERS}
      />
    </>
  );
}

/** A member connects its own accounts only. */
function OwnerFields({ draft, onChange }: FieldsProps) {
  const { access, may } = useSession();
  return (
    <>
      <TextInput
        label={texts.label}
        description={texts.labelHelp}
        value={draft.label}
        onChange={(event) => onChange({ label: event.currentTarget.value })}
        maxLength={MAX_CHARACTERS}
      />
      {access.user_id === null || may('*') ? (
        <TextInput
          label={texts.user}
          description={texts.userHelp}
          value={draft.user}
          onChange={(event) => onChange({ user: event.currentTarget.value })}
          maxLength={MAX_CHARACTERS}
        />
      ) : null}
    </>
  );
}
