import { useState } from 'react';
import { Button, Code, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { CopyButton } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { searchTexts } from '../../texts/search-texts.ts';
import { CODE_LANGUAGES, type CodeLanguage, searchCode } from './search-code.ts';
import type { SearchChoice } from './search-choice.ts';
import { searchRequestOf } from './search-request.ts';
import { searchTypeOf } from './use-search.ts';

const texts = searchTexts.copy;
const LANGUAGES = CODE_LANGUAGES.map((value) => ({ value, label: texts.languages[value] }));

/** Shows the search as code. It has no key: it reads one from the environment. */
export function CopySearch({ choice }: { choice: SearchChoice }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" size="compact-sm" leftSection={<Icon name="copy" size={14} />} onClick={open}>
        {texts.open}
      </Button>
      <Modal opened={isOpen} onClose={close} title={texts.title} size="xl">
        <SearchAsCode choice={choice} />
      </Modal>
    </>
  );
}

function SearchAsCode({ choice }: { choice: SearchChoice }) {
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const code = searchCode(searchRequestOf(choice, searchTypeOf(choice)), language, location.origin);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SegmentedControl
          size="sm"
          aria-label={texts.language}
          data={LANGUAGES}
          value={language}
          onChange={(value) => setLanguage(CODE_LANGUAGES.find((one) => one === value) ?? 'curl')}
        />
        <CopyButton text={code} label={texts.copy} />
      </Group>
      {choice.type === 'compare' ? (
        <Text size="xs" c="dimmed">
          {texts.compare}
        </Text>
      ) : null}
      <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap' }} className="break-anywhere">
        {code}
      </Code>
    </Stack>
  );
}
