import { ActionIcon, Loader, Menu } from '@mantine/core';
import { Icon, type IconName } from './icon.tsx';

/** Does something, or leads to a page elsewhere. */
export type MenuItem = { label: string; icon: IconName } & ({ onChoose: () => void } | { address: string });

export type ActionMenuProps = { label: string; items: readonly MenuItem[]; isWaiting?: boolean };

/** A button that opens what can be done with something. */
export function ActionMenu({ label, items, isWaiting = false }: ActionMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        {/* Not `loading`, which disables it: it would lose the focus. */}
        <ActionIcon variant="subtle" color="gray" aria-label={label} aria-busy={isWaiting}>
          {isWaiting ? <Loader size={16} color="gray" /> : <Icon name="more" />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map((item) => (
          <Item key={item.label} item={item} isDisabled={isWaiting} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Item({ item, isDisabled }: { item: MenuItem; isDisabled: boolean }) {
  const icon = <Icon name={item.icon} size={16} />;
  if ('onChoose' in item)
    return (
      <Menu.Item leftSection={icon} disabled={isDisabled} onClick={item.onChoose}>
        {item.label}
      </Menu.Item>
    );
  return (
    <Menu.Item component="a" href={item.address} target="_blank" rel="noreferrer" leftSection={icon}>
      {item.label}
    </Menu.Item>
  );
}
