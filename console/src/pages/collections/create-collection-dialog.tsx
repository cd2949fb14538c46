import type { FormEvent } from 'react';
import { Select } from '@mantine/core';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { collectionFieldsOf, formText } from './collection-fields.ts';
import { CollectionForm } from './collection-form.tsx';
import { useCreateCollection } from './use-collections.ts';
import { useEmbedderNames } from './use-embedder-names.ts';

const texts = collectionsTexts.creating;

export function CreateCollectionDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog opened={isOpen} onClose={onClose} title={texts.title} centered>
      <NewCollectionForm onClose={onClose} />
    </Dialog>
  );
}

function NewCollectionForm({ onClose }: { onClose: () => void }) {
  const creating = useCreateCollection();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const embedder = formText(form, 'embedder');
    const embedding = embedder === '' ? {} : { embedding: { name: embedder } };
    creating.mutate({ ...collectionFieldsOf(form), ...embedding }, { onSuccess: onClose });
  };
  return (
    <CollectionForm submitLabel={texts.submit} state={creating} onSubmit={submit} onClose={onClose}>
      <EmbedderField />
    </CollectionForm>
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
