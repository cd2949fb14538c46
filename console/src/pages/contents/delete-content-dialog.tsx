import type { Schemas } from '../../api/schemas.ts';
import { DeletionDialog } from '../../components/deletion/deletion-dialog.tsx';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { useDeleteContent } from './use-contents.ts';

const texts = contentsTexts.deletion;

export type DeleteContentProps = {
  collectionId: string;
  content: Schemas['Content'];
  onClose: () => void;
  /** Instead of `onClose`, when it was deleted. */ onDeleted?: () => void;
};

/** Asks whether a content is to be deleted, deletes it and shows the receipt. */
export function DeleteContentDialog({ collectionId, content: { id, name }, onClose, onDeleted }: DeleteContentProps) {
  const deletion = useDeleteContent(collectionId, id);
  return (
    <DeletionDialog
      title={texts.title}
      explanation={texts.explanation(name)}
      deletion={deletion}
      onClose={deletion.data === undefined ? onClose : (onDeleted ?? onClose)}
    />
  );
}
