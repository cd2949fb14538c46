import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Schemas } from '../../api/schemas.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import { useArchiveCollection } from './use-collections.ts';

const texts = collectionsTexts;

/** What can be done with a collection. */
export function CollectionMenu({ collection }: { collection: Schemas['Collection'] }) {
  const [isAsking, { open, close }] = useDisclosure();
  const { name, status } = collection;
  if (status === 'deleting') return null;
  const action = status === 'archived' ? 'unarchive' : 'archive';
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={texts.actions(name)}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Icon name={status === 'archived' ? 'restore' : 'archive'} size={16} />}
            onClick={open}
          >
            {texts[action]}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ArchiveDialog collection={collection} action={action} isOpen={isAsking} onClose={close} />
    </>
  );
}

type ArchiveDialogProps = {
  collection: Schemas['Collection'];
  action: 'archive' | 'unarchive';
  isOpen: boolean;
  onClose: () => void;
};

function ArchiveDialog({ collection: { id, name }, action, isOpen, onClose }: ArchiveDialogProps) {
  const archiving = useArchiveCollection();
  const isArchiving = action === 'archive';
  const title = isArchiving ? texts.archiving.title(name) : texts.unarchiving.title(name);
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered>
      <Stack>
        <Text size="sm">{isArchiving ? texts.archiving.explanation : texts.unarchiving.explanation}</Text>
        {archiving.error === null ? null : <ErrorNotice error={archiving.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shellTexts.cancel}
          </Button>
          <Button
            loading={archiving.isPending}
            onClick={() => archiving.mutate({ id, action }, { onSuccess: onClose })}
            data-autofocus
          >
            {texts[action]}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
