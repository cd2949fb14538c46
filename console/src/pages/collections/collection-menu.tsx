import { useState } from 'react';
import { Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ActionMenu } from '../../components/action-menu.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import type { IconName } from '../../components/icon.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { EditCollectionDialog } from './edit-collection-dialog.tsx';
import { useArchiveCollection } from './use-collections.ts';

const texts = collectionsTexts;
type CollectionAction = 'edit' | 'archive' | 'unarchive' | 'remove';
const ICONS: Readonly<Record<CollectionAction, IconName>> = {
  edit: 'edit',
  archive: 'archive',
  unarchive: 'restore',
  remove: 'trash',
};

export type CollectionMenuProps = {
  collection: Schemas['Collection'];
  /** Asks whether it is to be deleted. */
  onDelete: (collection: Schemas['Collection']) => void;
};

/** What can be done with a collection by this key. */
export function CollectionMenu({ collection, onDelete }: CollectionMenuProps) {
  const actions = useActionsOf(collection);
  const [asked, setAsked] = useState<Exclude<CollectionAction, 'remove'> | null>(null);
  if (actions.length === 0) return null;
  const items = actions.map((action) => ({
    label: texts[action],
    icon: ICONS[action],
    onChoose: () => (action === 'remove' ? onDelete(collection) : setAsked(action)),
  }));
  return (
    <>
      <ActionMenu label={texts.actions(collection.name)} items={items} />
      {asked === 'edit' ? <EditCollectionDialog collection={collection} onClose={() => setAsked(null)} /> : null}
      {asked === 'archive' || asked === 'unarchive' ? (
        <ArchiveDialog collection={collection} action={asked} onClose={() => setAsked(null)} />
      ) : null}
    </>
  );
}

function useActionsOf({ id, status }: Schemas['Collection']): CollectionAction[] {
  const { mayChange } = useSession();
  if (status === 'deleting') return [];
  const changes: CollectionAction[] = status === 'archived' ? ['unarchive'] : ['edit', 'archive'];
  return [
    ...(mayChange(id, 'collections:write') ? changes : []),
    ...(mayChange(id, 'collections:delete') ? (['remove'] as const) : []),
  ];
}

type ArchiveDialogProps = {
  collection: Schemas['Collection'];
  action: 'archive' | 'unarchive';
  onClose: () => void;
};

function ArchiveDialog({ collection: { id, name }, action, onClose }: ArchiveDialogProps) {
  const archiving = useArchiveCollection();
  const { title, explanation } = action === 'archive' ? texts.archiving : texts.unarchiving;
  return (
    <ConfirmDialog
      title={title(name)}
      action={texts[action]}
      isOpen
      doing={archiving}
      onConfirm={() => archiving.mutate({ id, action }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{explanation}</Text>
    </ConfirmDialog>
  );
}
