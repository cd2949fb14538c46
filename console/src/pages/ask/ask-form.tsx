import { type KeyboardEvent, useState } from 'react';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { CollectionChoice } from '../../components/collection-choice.tsx';
import { Icon } from '../../components/icon.tsx';
import { askTexts } from '../../texts/ask-texts.ts';
import { FilterRows } from '../search/filter-rows.tsx';
import type { AskChoice } from './ask-choice.ts';
import { ConversationChoice } from './conversation-choice.tsx';

const MAX_CHARACTERS = 8192;

export type AskFormProps = {
  choice: AskChoice;
  isWriting: boolean;
  onChange: (change: AskChoice) => void;
  onAsk: (question: string) => void;
  onStop: () => void;
};

/** The question, and the documents that it is asked. */
export function AskForm({ choice, isWriting, onChange, onAsk, onStop }: AskFormProps) {
  const { collections = [] } = choice;
  return (
    <Stack gap="md" mb="lg">
      <CollectionChoice
        value={collections}
        onChange={(ids) => onChange({ collections: ids.length === 0 ? undefined : ids })}
      />
      <ConversationChoice value={choice.conversation} onChange={(conversation) => onChange({ conversation })} />
      <FilterRows choice={choice} onChange={onChange} />
      <Question isWriting={isWriting} onAsk={onAsk} onStop={onStop} />
    </Stack>
  );
}

function Question({ isWriting, onAsk, onStop }: Pick<AskFormProps, 'isWriting' | 'onAsk' | 'onStop'>) {
  const [text, setText] = useState('');
  const submit = () => {
    if (text.trim() !== '') onAsk(text.trim());
  };
  const askOnEnter = (event: KeyboardEvent) => {
    // Enter also ends the input of Chinese and Japanese.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!isWriting) submit();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="xs">
        <Textarea
          label={askTexts.question}
          description={askTexts.questionHelp}
          placeholder={askTexts.placeholder}
          size="md"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={MAX_CHARACTERS}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={askOnEnter}
        />
        <Group justify="flex-end">
          <AskButton canAsk={text.trim() !== ''} isWriting={isWriting} onStop={onStop} />
        </Group>
      </Stack>
    </form>
  );
}

function AskButton({ canAsk, isWriting, onStop }: { canAsk: boolean; isWriting: boolean; onStop: () => void }) {
  // With one key, the element of the click would become the submit button, and ask again.
  if (isWriting) {
    return (
      <Button key="stop" variant="default" leftSection={<Icon name="close" size={16} />} onClick={onStop}>
        {askTexts.stop}
      </Button>
    );
  }
  return (
    <Button key="ask" type="submit" disabled={!canAsk}>
      {askTexts.submit}
    </Button>
  );
}
