import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { Button, Checkbox, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { threadTexts } from '../../texts/conversations-texts.ts';
import { MAX_MESSAGE_CHARACTERS } from '../conversations/start-dialog.tsx';
import { useWriteMessage } from './use-messages.ts';

const texts = threadTexts.write;
type Draft = { content: string; role: string; remember: boolean };

/** The field for another message. One of the user is sent in the name of the user whose conversation it is. */
export function WriteMessage({ conversation: { id, owner_id: owner } }: { conversation: Schemas['Conversation'] }) {
  const { access } = useSession();
  const { draft, change, send, sending } = useDraft(id, owner);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Textarea
          label={texts.message}
          description={texts.help}
          autosize
          minRows={2}
          maxRows={12}
          maxLength={MAX_MESSAGE_CHARACTERS}
          value={draft.content}
          onChange={(event) => change({ content: event.currentTarget.value })}
          onKeyDown={sendOnEnter}
        />
        {sending.error === null ? null : <ErrorNotice error={sending.error} />}
        <Group justify="space-between" gap="xs">
          <Choices draft={draft} hasUser={access.user_id !== null || owner !== null} onChange={change} />
          <Button type="submit" loading={sending.isPending} disabled={draft.content.trim() === ''}>
            {texts.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useDraft(conversationId: string, owner: string | null) {
  const { access } = useSession();
  const sending = useWriteMessage(conversationId);
  const [draft, setDraft] = useState<Draft>({ content: '', role: 'user', remember: false });
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const send = () => {
    if (draft.content.trim() === '' || sending.isPending) return;
    const { content, role } = draft;
    const ofUser = role === 'user';
    // With a token, the service knows the sender.
    const sender = access.user_id === null && ofUser ? owner : null;
    const written = { content, role, sender, remember: ofUser && draft.remember };
    sending.mutate(written, { onSuccess: () => change({ content: '' }) });
  };
  return { draft, change, send, sending };
}

type ChoicesProps = {
  draft: Draft;
  /** Memories are somebody's. */
  hasUser: boolean;
  onChange: (changes: Partial<Draft>) => void;
};

/** Who says it, and whether memories are looked for in it. Users cannot write what instructs a model. */
function Choices({ draft: { role, remember }, hasUser, onChange }: ChoicesProps) {
  const { access, may } = useSession();
  const roles = access.user_id === null ? ['user', 'assistant', 'system'] : ['user', 'assistant'];
  return (
    <Group gap="md">
      <NativeSelect
        aria-label={texts.role}
        data={roles.map((value) => ({ value, label: threadTexts.role[value] ?? value }))}
        value={role}
        onChange={(event) => onChange({ role: event.currentTarget.value })}
      />
      {role === 'user' && hasUser && may('memories:write') ? (
        <Checkbox
          label={texts.remember}
          checked={remember}
          onChange={(event) => onChange({ remember: event.currentTarget.checked })}
        />
      ) : null}
    </Group>
  );
}
