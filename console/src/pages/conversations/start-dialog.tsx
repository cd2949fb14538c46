import { type FormEvent, useState } from 'react';
import { Textarea, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { DialogForm } from '../../components/dialogs/dialog-form.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import { MAX_TITLE_CHARACTERS } from './rename-dialog.tsx';
import { type FirstWords, useStartConversation } from './use-conversations.ts';

const route = getRouteApi('/conversations');
const { form, starting } = conversationsTexts;
/** Limits of the API. */
const MAX_USER_CHARACTERS = 255;
export const MAX_MESSAGE_CHARACTERS = 262_144;

export type StartDialogProps = {
  /** The user whose conversations are shown. */
  user?: string | undefined;
  isOpen: boolean;
  onClose: () => void;
};

/** Starts a conversation and opens it. */
export function StartDialog({ user = '', isOpen, onClose }: StartDialogProps) {
  return (
    <Dialog opened={isOpen} onClose={onClose} title={starting.title} closeOnClickOutside={false}>
      <StartForm user={user} onClose={onClose} />
    </Dialog>
  );
}

function StartForm({ user, onClose }: { user: string; onClose: () => void }) {
  const { may } = useSession();
  const navigate = route.useNavigate();
  const creating = useStartConversation();
  const [words, setWords] = useState<FirstWords>({ title: '', user, message: '' });
  const change = (changes: Partial<FirstWords>) => setWords((before) => ({ ...before, ...changes }));
  const open = (conversationId: string) =>
    void navigate({ to: '/conversations/$conversationId', params: { conversationId } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate({ ...words, title: words.title.trim() }, { onSuccess: open });
  };
  return (
    <DialogForm submit={starting.submit} saving={creating} onSubmit={submit} onClose={onClose}>
      {may('conversations:write') ? (
        <NameFields words={words} onChange={change} />
      ) : (
        <Textarea
          label={form.message}
          description={form.messageHelp}
          required
          autosize
          minRows={3}
          maxRows={14}
          maxLength={MAX_MESSAGE_CHARACTERS}
          value={words.message}
          onChange={(event) => change({ message: event.currentTarget.value })}
          data-autofocus
        />
      )}
    </DialogForm>
  );
}

type NameFieldsProps = { words: FirstWords; onChange: (changes: Partial<FirstWords>) => void };

/** What it is about, and whose it is. With a token, it is always of the user of the token. */
function NameFields({ words, onChange }: NameFieldsProps) {
  const { access } = useSession();
  return (
    <>
      <TextInput
        label={form.title}
        description={form.titleHelp}
        maxLength={MAX_TITLE_CHARACTERS}
        value={words.title}
        onChange={(event) => onChange({ title: event.currentTarget.value })}
        data-autofocus
      />
      {access.user_id === null ? (
        <TextInput
          label={form.user}
          description={form.userHelp}
          maxLength={MAX_USER_CHARACTERS}
          value={words.user}
          onChange={(event) => onChange({ user: event.currentTarget.value })}
        />
      ) : null}
    </>
  );
}
