import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ActionMenu, type MenuItem } from '../../components/action-menu.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import type { IconName } from '../../components/icon.tsx';
import { useDownload } from './use-download.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { type ContentAction, useControlContent } from './use-contents.ts';

type Content = Schemas['Content'];
const WORKING = ['pending', 'downloading', 'reading', 'splitting', 'indexing'];
const ICONS: Readonly<Record<ContentAction, IconName>> = {
  retry: 'restore',
  pause: 'pause',
  resume: 'play',
  cancel: 'close',
};

/** What its status permits. */
function actionsOf({ status }: Content): ContentAction[] {
  if (status === 'failed' || status === 'cancelled') return ['retry'];
  if (status === 'paused') return ['resume', 'cancel'];
  return WORKING.includes(status) ? ['pause', 'cancel'] : [];
}

export type ContentMenuProps = {
  collection: Schemas['Collection'];
  content: Content;
  /** Asks whether it is to be deleted. */
  onDelete: (content: Content) => void;
};

/** What can be done with a content by this key. */
export function ContentMenu({ collection, content, onDelete }: ContentMenuProps) {
  const control = useControlContent(collection.id);
  const download = useDownload(content);
  const permitted = usePermitted(collection, content);
  const items: MenuItem[] = [
    ...permitted.actions.map((action) => ({
      label: contentsTexts.control[action],
      icon: ICONS[action],
      onChoose: () => control.mutate({ id: content.id, action }),
    })),
    ...(content.content_hash === null
      ? []
      : [{ label: contentsTexts.download, icon: 'download' as const, onChoose: () => download.mutate() }]),
    ...(permitted.mayDelete
      ? [{ label: contentsTexts.remove, icon: 'trash' as const, onChoose: () => onDelete(content) }]
      : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <ActionMenu
        label={contentsTexts.actions(content.name)}
        isWaiting={control.isPending || download.isPending}
        items={items}
      />
      <FailureDialog error={control.error} onClose={control.reset} />
      <FailureDialog error={download.error} onClose={download.reset} />
    </>
  );
}

function usePermitted({ id, status }: Schemas['Collection'], content: Content) {
  const { mayChange } = useSession();
  const isActive = status === 'active';
  return {
    actions: isActive && mayChange(id, 'contents:write') ? actionsOf(content) : [],
    mayDelete: isActive && mayChange(id, 'contents:delete') && content.status !== 'deleting',
  };
}
