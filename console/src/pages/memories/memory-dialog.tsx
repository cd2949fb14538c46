import { type FormEvent, useState } from 'react';
import { Button, Group, NativeSelect, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { memoriesTexts } from '../../texts/memories-texts.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import { useSaveMemory } from './use-memories.ts';

const texts = memoriesTexts.form;
const TYPES = (['user', 'agent', 'team', 'workflow'] as const).map((value) => ({
  value,
  label: memoriesTexts.type[value],
}));
/** Limits of the API. */
const MAX_USER_CHARACTERS = 255;
const MAX_MEMORY_CHARACTERS = 16_384;
const MAX_TOPICS = 100;

export type MemoryDialogProps = {
  memory: Schemas['MemoryRecord'] | null;
  /** The user whose memories are shown. */
  user?: string | undefined;
  isOpen: boolean;
  onClose: () => void;
};

/** Adds a memory, or changes `memory`. */
export function MemoryDialog({ memory, user = '', isOpen, onClose }: MemoryDialogProps) {
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      title={memory === null ? memoriesTexts.creating.title : memoriesTexts.changing.title}
      closeOnClickOutside={false}
    >
      <MemoryForm memory={memory} user={memory?.user_id ?? user} onClose={onClose} />
    </Dialog>
  );
}

type MemoryFormProps = { memory: Schemas['MemoryRecord'] | null; user: string; onClose: () => void };
type Draft = { user_id: string; memory: string; topics: string[]; memory_type: (typeof TYPES)[number]['value'] };

function MemoryForm({ memory, user, onClose }: MemoryFormProps) {
  const saving = useSaveMemory();
  const [draft, setDraft] = useState<Draft>({
    user_id: user,
    memory: memory?.memory ?? '',
    topics: memory?.topics ?? [],
    memory_type: 'user',
  });
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    saving.mutate({ id: memory?.memory_id ?? null, body: draft }, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {memory === null ? <OwnerFields draft={draft} onChange={change} /> : null}
        <TextFields draft={draft} onChange={change} />
        {saving.error === null ? null : <ErrorNotice error={saving.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shellTexts.cancel}
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {memory === null ? memoriesTexts.creating.submit : memoriesTexts.changing.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type FieldsProps = { draft: Draft; onChange: (changes: Partial<Draft>) => void };

/** What is remembered. */
function TextFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <Textarea
        label={texts.memory}
        description={texts.memoryHelp}
        required
        autosize
        minRows={3}
        maxRows={14}
        maxLength={MAX_MEMORY_CHARACTERS}
        value={draft.memory}
        onChange={(event) => onChange({ memory: event.currentTarget.value })}
        data-autofocus
      />
      <TagsInput
        label={texts.topics}
        description={texts.topicsHelp}
        placeholder={draft.topics.length === 0 ? texts.topicsPlaceholder : ''}
        maxTags={MAX_TOPICS}
        value={draft.topics}
        onChange={(topics) => onChange({ topics })}
        acceptValueOnBlur
      />
    </>
  );
}

/** Whose memory it is, which never changes. */
function OwnerFields({ draft, onChange }: FieldsProps) {
  const { access } = useSession();
  return (
    <>
      {access.user_id === null ? (
        <TextInput
          label={texts.user}
          description={texts.userHelp}
          required
          maxLength={MAX_USER_CHARACTERS}
          value={draft.user_id}
          onChange={(event) => onChange({ user_id: event.currentTarget.value })}
        />
      ) : null}
      <NativeSelect
        label={texts.type}
        data={TYPES}
        value={draft.memory_type}
        onChange={(event) => onChange({ memory_type: event.currentTarget.value as Draft['memory_type'] })}
      />
    </>
  );
}
