import { type FormEvent, useState } from 'react';
import { Autocomplete, Code, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { DialogForm } from '../../components/dialogs/dialog-form.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { oauthClientsTexts } from '../../texts/oauth-clients-texts.ts';
import { useProviderTitles } from '../connections/use-connections.ts';
import { type ClientDraft, draftOf, savedClientOf } from './client-draft.ts';
import { ClientSettings } from './client-settings.tsx';
import { useSaveOAuthClient } from './use-oauth-clients.ts';

const texts = oauthClientsTexts.form;
/** Limits of the API. */
const MAX_NAME_CHARACTERS = 100;
const MAX_ID_CHARACTERS = 1_000;
const MAX_SECRET_CHARACTERS = 10_000;

export type ClientDialogProps = { client: Schemas['OAuthClient'] | null; isOpen: boolean; onClose: () => void };

/** Adds a client, or replaces `client`, whose secret has to be entered again. */
export function ClientDialog({ client, isOpen, onClose }: ClientDialogProps) {
  const { creating, changing } = oauthClientsTexts;
  const title = client === null ? creating.title : changing.title(client.provider);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
      <ClientForm client={client} onClose={onClose} />
    </Dialog>
  );
}

function ClientForm({ client, onClose }: Omit<ClientDialogProps, 'isOpen'>) {
  const saving = useSaveOAuthClient();
  const [draft, setDraft] = useState(() => draftOf(client));
  const change = (changes: Partial<ClientDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate(savedClientOf(draft, client), { onSuccess: onClose });
  };
  return (
    <DialogForm
      submit={client === null ? oauthClientsTexts.creating.submit : oauthClientsTexts.changing.submit}
      saving={saving}
      onSubmit={submit}
      onClose={onClose}
    >
      <RedirectUri />
      {client === null ? <ProviderField draft={draft} onChange={change} /> : null}
      <SecretFields draft={draft} onChange={change} hasSecret={client?.has_secret === true} />
      <ClientSettings draft={draft} onChange={change} />
    </DialogForm>
  );
}

/** Where providers send people back to, if the browser shows the public address of the service. */
function RedirectUri() {
  const uri = `${location.origin}/api/v1/oauth/callback`;
  return (
    <Stack gap={4}>
      <Text size="sm">{texts.redirect}</Text>
      <Group gap={4} wrap="nowrap">
        <Code className="break-anywhere">{uri}</Code>
        <CopyButton text={uri} label={texts.copyRedirect} />
      </Group>
      <Text size="xs" c="dimmed">
        {texts.redirectHelp}
      </Text>
    </Stack>
  );
}

type FieldsProps = { draft: ClientDraft; onChange: (change: Partial<ClientDraft>) => void };

function ProviderField({ draft, onChange }: FieldsProps) {
  const { may } = useSession();
  const { data: titles } = useProviderTitles();
  return (
    <Autocomplete
      label={texts.provider}
      description={may('connections:reveal') ? texts.providerHelp : texts.providerHelpBuiltIn}
      required
      data={[...(titles?.keys() ?? [])]}
      renderOption={({ option }) => titles?.get(option.value) ?? option.value}
      value={draft.provider}
      onChange={(provider) => onChange({ provider })}
      maxLength={MAX_NAME_CHARACTERS}
      data-autofocus
    />
  );
}

function SecretFields({ draft, onChange, hasSecret }: FieldsProps & { hasSecret: boolean }) {
  return (
    <>
      <TextInput
        label={texts.clientId}
        required
        autoComplete="off"
        value={draft.clientId}
        onChange={(event) => onChange({ clientId: event.currentTarget.value })}
        maxLength={MAX_ID_CHARACTERS}
      />
      {draft.auth === 'none' ? null : (
        <PasswordInput
          label={texts.clientSecret}
          description={hasSecret ? texts.clientSecretAgain : texts.clientSecretHelp}
          autoComplete="new-password"
          value={draft.clientSecret}
          onChange={(event) => onChange({ clientSecret: event.currentTarget.value })}
          maxLength={MAX_SECRET_CHARACTERS}
        />
      )}
    </>
  );
}
