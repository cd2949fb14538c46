import type { FormEvent } from 'react';
import { Button, Group, Modal, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import { useCreateCollection } from './use-collections.ts';
import { useEmbedderNames } from './use-embedder-names.ts';

const texts = collectionsTexts.creating;
/** Limits of the API. */
const MAX_NAME_CHARACTERS = 100;
const MAX_DESCRIPTION_CHARACTERS = 255;

export function CreateCollectionDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={texts.title} centered>
      <CreateCollectionForm onClose={onClose} />
    </Modal>
  );
}

function CreateCollectionForm({ onClose }: { onClose: () => void }) {
  const creating = useCreateCollection();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    creating.mutate(collectionOf(new FormData(event.currentTarget)), { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label={texts.name} name="name" required maxLength={MAX_NAME_CHARACTERS} data-autofocus />
        <Textarea
          label={texts.description}
          description={texts.descriptionHelp}
          name="description"
          autosize
          minRows={2}
          maxLength={MAX_DESCRIPTION_CHARACTERS}
        />
        <EmbedderField />
        <Switch label={texts.isPublic} name="public" />
        {creating.error === null ? null : <ErrorNotice error={creating.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shellTexts.cancel}
          </Button>
          <Button type="submit" loading={creating.isPending}>
            {texts.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Shown only where there is a choice. */
function EmbedderField() {
  const names = useEmbedderNames();
  if (names.length < 2) return null;
  return (
    <Select
      label={texts.embedder}
      description={texts.embedderHelp}
      name="embedder"
      data={names}
      defaultValue={names[0] ?? null}
      allowDeselect={false}
    />
  );
}

function collectionOf(form: FormData) {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const [description, embedder] = [text('description'), text('embedder')];
  return {
    name: text('name'),
    visibility: text('public') === '' ? ('private' as const) : ('public' as const),
    ...(description === '' ? {} : { description }),
    ...(embedder === '' ? {} : { embedding: { name: embedder } }),
  };
}
