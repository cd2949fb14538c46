import { useState } from 'react';
import { Button, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useSession } from '../../app/session.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { searchTexts } from '../../texts/search-texts.ts';
import { MissingReason } from './missing-reason.tsx';
import type { SearchChoice } from './search-choice.ts';
import { type ExpectedContent, useContentsByName } from './use-search.ts';

const texts = searchTexts.missing;
const PAUSE_MS = 300;
type Expected = Omit<ExpectedContent, 'name'>;
const NOTHING_EXPECTED: Expected = { id: '', collectionId: null };

/** Asks why a document is not among the results. */
export function MissingResult({ choice }: { choice: SearchChoice }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={open}>
        {texts.open}
      </Button>
      <Modal opened={isOpen} onClose={close} title={texts.title} size="lg">
        <Expectation choice={choice} />
      </Modal>
    </>
  );
}

function Expectation({ choice }: { choice: SearchChoice }) {
  const mayChoose = useSession().may('contents:read');
  const [expected, setExpected] = useState(NOTHING_EXPECTED);
  const [waited] = useDebouncedValue(expected, PAUSE_MS);
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {texts.explanation}
      </Text>
      {mayChoose ? (
        <ContentChoice collections={choice.collections ?? []} value={expected} onChange={setExpected} />
      ) : (
        <TextInput
          label={texts.contentId}
          value={expected.id}
          onChange={(event) => setExpected({ id: event.currentTarget.value.trim(), collectionId: null })}
        />
      )}
      {waited.id === '' ? null : <MissingReason choice={choice} expected={waited} />}
    </Stack>
  );
}

type ContentChoiceProps = { collections: readonly string[]; value: Expected; onChange: (expected: Expected) => void };

function ContentChoice({ collections, value, onChange }: ContentChoiceProps) {
  const [name, setName] = useState('');
  const [waited] = useDebouncedValue(name.trim(), PAUSE_MS);
  const { data = [] } = useContentsByName(waited, collections);
  const { data: collectionNames } = useCollectionNames();
  const offered = data.map(({ name: label, ...content }) => {
    const collection = collections.length > 1 ? collectionNames?.get(content.collectionId ?? '') : undefined;
    return {
      value: keyOf(content),
      label: collection === undefined ? label : texts.contentOf(label, collection),
      content,
    };
  });
  return (
    <Select
      label={texts.content}
      placeholder={texts.contentPlaceholder}
      nothingFoundMessage={texts.contentNone}
      data={offered}
      value={value.id === '' ? null : keyOf(value)}
      onChange={(key) => onChange(offered.find(({ value: one }) => one === key)?.content ?? NOTHING_EXPECTED)}
      searchValue={name}
      onSearchChange={setName}
      searchable
      data-autofocus
    />
  );
}

/** A content can be in several collections. */
function keyOf({ id, collectionId }: Expected): string {
  return `${collectionId ?? ''} ${id}`;
}
