import { type FormEvent, useState } from 'react';
import { TextInput } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { DialogForm } from '../../components/dialogs/dialog-form.tsx';
import { SecretDialog } from '../../components/dialogs/secret-dialog.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';
import { changedKeyOf, draftOf, grantablePermissions, newKeyOf, permissionsOf } from './key-draft.ts';
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
  const saving = useSaveKey();
  const close = () => {
    saving.reset();
    onClose();
  };
  return (
    <SecretDialog
      title={apiKey === null ? keysTexts.creating.title : keysTexts.changing.title(nameOfKey(apiKey))}
      texts={keysTexts.secret}
      secret={saving.data?.secret ?? null}
      isWaiting={saving.isPending}
      isOpen={isOpen}
      onClose={close}
      size="lg"
    >
      <KeyForm apiKey={apiKey} saving={saving} onClose={close} />
    </SecretDialog>
  );
}

/** Returns how people call a key. */
export function nameOfKey({ label, key }: Schemas['ApiKey']): string {
  return label === null || label === '' ? `loci_${key}` : label;
}

type KeyFormProps = Pick<KeyDialogProps, 'apiKey' | 'onClose'> & { saving: ReturnType<typeof useSaveKey> };

function KeyForm({ apiKey, saving, onClose }: KeyFormProps) {
  const { may, access } = useSession();
  const isOwn = apiKey !== null && access.api_key?.id === apiKey.id;
  // That of a sign-in may give other keys a longer life than it has, but not itself.
  const latest = (isOwn ? access.api_key?.expires_at : access.api_key?.max_key_expires_at) ?? null;
  const [draft, setDraft] = useState(() => draftOf(apiKey, latest));
  const change = (changes: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const grantable = grantablePermissions(may);
  const missing = draft.access === 'reading' ? texts.nothingToRead : texts.noneChosen;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const onSuccess = ({ secret }: Schemas['ApiKey']) => (secret === null ? onClose() : undefined);
    const granting = { grantable, reached: access.collections };
    const saved =
      apiKey === null
        ? { id: null, body: newKeyOf(draft, granting) }
        : { id: apiKey.id, body: changedKeyOf(draft, granting) };
    saving.mutate(saved, { onSuccess });
  };
  return (
    <DialogForm
      submit={apiKey === null ? keysTexts.creating.submit : keysTexts.changing.submit}
      saving={saving}
      missing={permissionsOf(draft, grantable).length > 0 ? null : missing}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.label}
        description={texts.labelHelp}
        value={draft.label}
        onChange={(event) => change({ label: event.currentTarget.value })}
        maxLength={MAX_LABEL_CHARACTERS}
        data-autofocus
      />
      <PermissionFields draft={draft} onChange={change} />
      <LimitFields draft={draft} latest={latest} isNew={apiKey === null} onChange={change} />
    </DialogForm>
  );
}
