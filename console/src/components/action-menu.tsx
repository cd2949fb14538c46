import { ActionIcon, Menu } from '@mantine/core';
import { Icon, type IconName } from './icon.tsx';

export type MenuItem = { label: string; icon: IconName; onChoose: () => void };

export type ActionMenuProps = { label: string; items: readonly MenuItem[]; isWaiting?: boolean };

/** A button that opens what can be done with something. */
export function ActionMenu({ label, items, isWaiting = false }: ActionMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label} loading={isWaiting}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map((item) => (
          <Menu.Item key={item.label} leftSection={<Icon name={item.icon} size={16} />} onClick={item.onChoose}>
            {item.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
