import { type FormEvent, useState } from 'react';
import { NativeSelect, NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { CollectionsField } from '../../components/collections-field.tsx';
import { DialogForm } from '../../components/dialogs/dialog-form.tsx';
import { SecretDialog } from '../../components/dialogs/secret-dialog.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { EventFields } from './event-fields.tsx';
import { useSaveWebhook } from './use-webhooks.ts';
import { mayReadEvents } from './subscribable-event.ts';
import { bodyOf, draftOf, tellsContents, type WebhookDraft } from './webhook-draft.ts';

const texts = webhooksTexts.form;
/** Limits of the API. */
const MAX_URL_CHARACTERS = 2_048;
const MAX_DESCRIPTION_CHARACTERS = 255;
const MAX_BATCH_SIZE = 200;

export type WebhookDialogProps = { webhook: Schemas['Webhook'] | null; isOpen: boolean; onClose: () => void };

/** Creates a webhook, or changes `webhook`. The secret of a new one is shown here, once. */
export function WebhookDialog({ webhook, isOpen, onClose }: WebhookDialogProps) {
  const saving = useSaveWebhook();
  const close = () => {
    saving.reset();
    onClose();
  };
  return (
    <SecretDialog
      title={webhooksTexts[webhook === null ? 'creating' : 'changing'].title}
      texts={webhooksTexts.secret}
      secret={saving.data?.secret ?? null}
      isWaiting={saving.isPending}
      isOpen={isOpen}
      onClose={close}
      size="lg"
    >
      <WebhookForm webhook={webhook} saving={saving} onClose={close} />
    </SecretDialog>
  );
}

type WebhookFormProps = Pick<WebhookDialogProps, 'webhook' | 'onClose'> & { saving: ReturnType<typeof useSaveWebhook> };

function WebhookForm({ webhook, saving, onClose }: WebhookFormProps) {
  const session = useSession();
  const [draft, setDraft] = useState(() => draftOf(webhook, mayReadEvents(session, null)));
  const change = (changes: Partial<WebhookDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = bodyOf(draft, session.access.collections);
    const onSuccess = ({ secret }: Schemas['Webhook']) => (secret === null ? onClose() : undefined);
    saving.mutate({ id: webhook?.id ?? null, body }, { onSuccess });
  };
  const hasEvents = draft.kind === 'everything' || draft.events.length > 0;
  return (
    <DialogForm
      submit={webhooksTexts[webhook === null ? 'creating' : 'changing'].submit}
      saving={saving}
      missing={hasEvents ? null : webhooksTexts.form.noEvents}
      onSubmit={submit}
      onClose={onClose}
    >
      <AddressFields draft={draft} onChange={change} />
      <EventFields draft={draft} onChange={change} />
      <CollectionsField value={draft.collections} onChange={(collections) => change({ collections })} />
      <SendingFields draft={draft} onChange={change} />
    </DialogForm>
  );
}

type FieldsProps = { draft: WebhookDraft; onChange: (change: Partial<WebhookDraft>) => void };

function AddressFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label={texts.url}
        description={texts.urlHelp}
        inputMode="url"
        required
        value={draft.url}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
        maxLength={MAX_URL_CHARACTERS}
        data-autofocus
      />
      <TextInput
        label={texts.description}
        description={texts.descriptionHelp}
        value={draft.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
        maxLength={MAX_DESCRIPTION_CHARACTERS}
      />
    </>
  );
}

function SendingFields({ draft, onChange }: FieldsProps) {
  const ages: { value: string; label: string }[] = Object.entries(texts.ages).map(([value, label]) => ({
    value,
    label,
  }));
  if (!Object.hasOwn(texts.ages, draft.maxAge)) {
    ages.push({ value: draft.maxAge, label: texts.otherAge(Number(draft.maxAge)) });
  }
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
      <NativeSelect
        label={texts.maxAge}
        data={ages}
        value={draft.maxAge}
        onChange={(event) => onChange({ maxAge: event.currentTarget.value })}
      />
      {tellsContents(draft) ? (
        <NumberInput
          label={texts.batchSize}
          description={texts.batchSizeHelp}
          min={1}
          max={MAX_BATCH_SIZE}
          allowDecimal={false}
          value={draft.batchSize}
          onChange={(value) => onChange({ batchSize: Number(value) })}
        />
      ) : null}
    </SimpleGrid>
  );
}
