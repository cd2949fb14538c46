import type { FormEvent } from 'react';
import type { Schemas } from '../../api/schemas.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { CollectionForm } from './collection-form.tsx';
import { collectionFieldsOf } from './collection-fields.ts';
import { useUpdateCollection } from './use-collections.ts';

const texts = collectionsTexts.editing;

/** Changes the name and description of a collection, and who may read it. */
export function EditCollectionDialog(props: { collection: Schemas['Collection']; onClose: () => void }) {
  const { collection, onClose } = props;
  const updating = useUpdateCollection(collection.id);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { description = null, ...fields } = collectionFieldsOf(new FormData(event.currentTarget));
    updating.mutate({ ...fields, description }, { onSuccess: onClose });
  };
  return (
    <Dialog opened onClose={onClose} title={texts.title} centered>
      <CollectionForm
        collection={collection}
        submitLabel={texts.submit}
        state={updating}
        onSubmit={submit}
        onClose={onClose}
      />
    </Dialog>
  );
}
