import type { Schemas } from '../../api/schemas.ts';
import { DeletionDialog } from '../../components/deletion/deletion-dialog.tsx';
import { formatCount } from '../../format/format-count.ts';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { collectionStatsOf } from './collection-stats.ts';
import { useDeleteCollection } from './use-collections.ts';

const texts = collectionsTexts.deletion;

/** Asks whether a collection is to be deleted, by its name if there is anything in it; deletes it and shows the receipt. */
export function DeleteCollectionDialog(props: { collection: Schemas['Collection']; onClose: () => void }) {
  const { id, name } = props.collection;
  const deletion = useDeleteCollection(id);
  const { contents } = collectionStatsOf(props.collection);
  return (
    <DeletionDialog
      title={texts.title}
      explanation={texts.explanation(name, collectionsTexts.contents(contents, formatCount(contents)))}
      {...(contents === 0 ? {} : { confirmedBy: name })}
      deletion={deletion}
      onClose={props.onClose}
    />
  );
}
