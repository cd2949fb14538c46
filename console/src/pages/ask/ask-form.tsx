import { type KeyboardEvent, useState } from 'react';
import { Button, Group, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { CollectionChoice } from '../../components/collection-choice.tsx';
import { Icon } from '../../components/icon.tsx';
import { askTexts } from '../../texts/ask-texts.ts';
import { FilterRows } from '../search/filter-rows.tsx';
import type { AskChoice } from './ask-choice.ts';
import { ConversationChoice } from './conversation-choice.tsx';

const MAX_CHARACTERS = 8192;
const HELP_ID = 'help-with-the-question';

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
      <Question isWriting={isWriting} onAsk={onAsk} onStop={onStop} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <CollectionChoice
          value={collections}
          onChange={(ids) => onChange({ collections: ids.length === 0 ? undefined : ids })}
        />
        <ConversationChoice value={choice.conversation} onChange={(conversation) => onChange({ conversation })} />
      </SimpleGrid>
      <FilterRows choice={choice} onChange={onChange} />
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
          aria-describedby={HELP_ID}
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
        <Underneath canAsk={text.trim() !== ''} isWriting={isWriting} onStop={onStop} />
      </Stack>
    </form>
  );
}

type AskButtonProps = { canAsk: boolean; isWriting: boolean; onStop: () => void };

/** How to ask with the keyboard, and with the button. */
function Underneath(props: AskButtonProps) {
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Text id={HELP_ID} size="xs" c="dimmed">
        {askTexts.questionHelp}
      </Text>
      <AskButton {...props} />
    </Group>
  );
}

function AskButton({ canAsk, isWriting, onStop }: AskButtonProps) {
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
