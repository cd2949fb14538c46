import { useState } from 'react';
import { Button, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useSession } from '../../app/session.tsx';
import { searchTexts } from '../../texts/search-texts.ts';
import { MissingReason } from './missing-reason.tsx';
import type { SearchChoice } from './search-choice.ts';
import { useContentsByName } from './use-search.ts';

const texts = searchTexts.missing;
const PAUSE_MS = 300;

/** Asks why a document is not among the results. */
export function MissingResult({ choice }: { choice: SearchChoice }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={open}>
        {texts.open}
      </Button>
      <Modal opened={isOpen} onClose={close} title={texts.title} size="lg">
        <ExpectedContent choice={choice} />
      </Modal>
    </>
  );
}

function ExpectedContent({ choice }: { choice: SearchChoice }) {
  const mayChoose = useSession().may('contents:read');
  const [contentId, setContentId] = useState('');
  const [waited] = useDebouncedValue(contentId, PAUSE_MS);
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {texts.explanation}
      </Text>
      {mayChoose ? (
        <ContentChoice collections={choice.collections ?? []} value={contentId} onChange={setContentId} />
      ) : (
        <TextInput
          label={texts.contentId}
          value={contentId}
          onChange={(event) => setContentId(event.currentTarget.value.trim())}
        />
      )}
      {waited === '' ? null : <MissingReason choice={choice} contentId={waited} />}
    </Stack>
  );
}

type ContentChoiceProps = { collections: readonly string[]; value: string; onChange: (id: string) => void };

function ContentChoice({ collections, value, onChange }: ContentChoiceProps) {
  const [name, setName] = useState('');
  const [waited] = useDebouncedValue(name.trim(), PAUSE_MS);
  const { data = [] } = useContentsByName(waited, collections);
  return (
    <Select
      label={texts.content}
      placeholder={texts.contentPlaceholder}
      nothingFoundMessage={texts.contentNone}
      data={data.map((content) => ({ value: content.id, label: content.name }))}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      searchValue={name}
      onSearchChange={setName}
      searchable
      data-autofocus
    />
  );
}
