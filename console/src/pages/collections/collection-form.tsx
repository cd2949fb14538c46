import type { FormEventHandler, ReactNode } from 'react';
import { Switch, Textarea, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { DialogForm } from '../../components/dialogs/dialog-form.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';

const texts = collectionsTexts.creating;
/** Limits of the API. */
const MAX_NAME_CHARACTERS = 100;
const MAX_DESCRIPTION_CHARACTERS = 255;

export type CollectionFormProps = {
  /** Undefined: a new one. */
  collection?: Schemas['Collection'];
  /** Further fields. */
  children?: ReactNode;
  submitLabel: string;
  state: { error: Error | null; isPending: boolean };
  onSubmit: FormEventHandler<HTMLFormElement>;
  onClose: () => void;
};

/** What people say of a collection. */
export function CollectionForm({ collection, children, submitLabel, state, onSubmit, onClose }: CollectionFormProps) {
  return (
    <DialogForm submit={submitLabel} saving={state} onSubmit={onSubmit} onClose={onClose}>
      <TextInput
        label={texts.name}
        name="name"
        defaultValue={collection?.name}
        required
        maxLength={MAX_NAME_CHARACTERS}
        data-autofocus
      />
      <Textarea
        label={texts.description}
        description={texts.descriptionHelp}
        name="description"
        defaultValue={collection?.description ?? ''}
        autosize
        minRows={2}
        maxLength={MAX_DESCRIPTION_CHARACTERS}
      />
      {children}
      <Switch label={texts.isPublic} name="public" defaultChecked={collection?.visibility === 'public'} />
    </DialogForm>
  );
}
