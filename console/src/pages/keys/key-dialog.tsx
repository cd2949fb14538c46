import { type FormEvent, useState } from 'react';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SecretField } from '../../components/dialogs/secret-field.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import { bodyOf, draftOf, grantablePermissions, permissionsOf } from './key-draft.ts';
import type { KeyDraft } from './key-draft.ts';
import { LimitFields } from './limit-fields.tsx';
import { PermissionFields } from './permission-fields.tsx';
import { useSaveKey } from './use-keys.ts';

const texts = keysTexts.form;
/** Limit of the API. */
const MAX_LABEL_CHARACTERS = 255;

export type KeyDialogProps = { apiKey: Schemas['ApiKey'] | null; isOpen: boolean; onClose: () => void };

/** Creates a key, or changes `apiKey`. The secret of a new key is shown here, once. */
export function KeyDialog({ apiKey, isOpen, onClose }: KeyDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    setSecret(null);
    onClose();
  };
  const title = apiKey === null ? keysTexts.creating.title : keysTexts.changing.title(nameOfKey(apiKey));
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={secret === null ? title : keysTexts.secret.title}
      size="lg"
      closeOnClickOutside={false}
    >
      {secret === null ? (
        <KeyForm apiKey={apiKey} onClose={close} onCreated={setSecret} />
      ) : (
        <SecretField secret={secret} texts={keysTexts.secret} onClose={close} />
      )}
    </Modal>
  );
}

/** Returns how people call a key. */
export function nameOfKey({ label, key }: Schemas['ApiKey']): string {
  return label === null || label === '' ? `loci_${key}` : label;
}

type KeyFormProps = { apiKey: Schemas['ApiKey'] | null; onClose: () => void; onCreated: (secret: string) => void };

function KeyForm({ apiKey, onClose, onCreated }: KeyFormProps) {
  const { may } = useSession();
  const saving = useSaveKey();
  const [draft, setDraft] = useState(() => draftOf(apiKey));
  const change = (changes: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const grantable = grantablePermissions(may);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const onSuccess = ({ secret }: Schemas['ApiKey']) => (secret === null ? onClose() : onCreated(secret));
    saving.mutate({ id: apiKey?.id ?? null, body: bodyOf(draft, grantable) }, { onSuccess });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={texts.label}
          description={texts.labelHelp}
          value={draft.label}
          onChange={(event) => change({ label: event.currentTarget.value })}
          maxLength={MAX_LABEL_CHARACTERS}
          data-autofocus
        />
        <PermissionFields draft={draft} onChange={change} />
        <LimitFields draft={draft} onChange={change} />
        {saving.error === null ? null : <ErrorNotice error={saving.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shellTexts.cancel}
          </Button>
          <Button type="submit" loading={saving.isPending} disabled={permissionsOf(draft, grantable).length === 0}>
            {apiKey === null ? keysTexts.creating.submit : keysTexts.changing.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
