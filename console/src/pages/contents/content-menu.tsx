import { ActionIcon, Menu } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
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
  const { may } = useSession();
  const control = useControlContent(collection.id);
  const isActive = collection.status === 'active';
  const actions = isActive && may('contents:write') ? actionsOf(content) : [];
  const mayDelete = isActive && may('contents:delete') && content.status !== 'deleting';
  if (actions.length === 0 && !mayDelete) return null;
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={contentsTexts.actions(content.name)}
            loading={control.isPending}
          >
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map((action) => (
            <ControlItem key={action} action={action} onChoose={() => control.mutate({ id: content.id, action })} />
          ))}
          {mayDelete ? (
            <Menu.Item leftSection={<Icon name="trash" size={16} />} onClick={() => onDelete(content)}>
              {contentsTexts.remove}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <FailureDialog error={control.error} onClose={control.reset} />
    </>
  );
}

function ControlItem({ action, onChoose }: { action: ContentAction; onChoose: () => void }) {
  return (
    <Menu.Item leftSection={<Icon name={ICONS[action]} size={16} />} onClick={onChoose}>
      {contentsTexts.control[action]}
    </Menu.Item>
  );
}
