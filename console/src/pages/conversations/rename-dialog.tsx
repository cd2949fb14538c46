import { type FormEvent, useState } from 'react';
import { Checkbox, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { DialogForm } from '../../components/dialogs/dialog-form.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import { useUpdateConversation } from './use-conversations.ts';

const { form, changing } = conversationsTexts;
export const MAX_TITLE_CHARACTERS = 255;

export type RenameDialogProps = { conversation: Schemas['Conversation']; isOpen: boolean; onClose: () => void };

/** Changes the title of a conversation, and who may read it. */
export function RenameDialog({ conversation, isOpen, onClose }: RenameDialogProps) {
  return (
    <Dialog opened={isOpen} onClose={onClose} title={changing.title} closeOnClickOutside={false}>
      <RenameForm conversation={conversation} onClose={onClose} />
    </Dialog>
  );
}

function RenameForm({ conversation, onClose }: Omit<RenameDialogProps, 'isOpen'>) {
  const { id } = conversation;
  const saving = useUpdateConversation();
  const [title, setTitle] = useState(conversation.title ?? '');
  const [isPublic, setIsPublic] = useState(conversation.is_public);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { title: title.trim() === '' ? null : title.trim(), is_public: isPublic };
    saving.mutate({ id, body }, { onSuccess: onClose });
  };
  return (
    <DialogForm submit={changing.submit} saving={saving} onSubmit={submit} onClose={onClose}>
      <TextInput
        label={form.title}
        description={form.titleHelp}
        maxLength={MAX_TITLE_CHARACTERS}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        data-autofocus
      />
      <Checkbox label={form.public} checked={isPublic} onChange={(event) => setIsPublic(event.currentTarget.checked)} />
    </DialogForm>
  );
}
