import { ActionIcon, Menu, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { Icon, type IconName } from '../components/icon.tsx';
import { shellTexts } from '../texts/shell-texts.ts';

const texts = shellTexts.scheme;
const ICONS: Readonly<Record<MantineColorScheme, IconName>> = { light: 'sun', dark: 'moon', auto: 'system' };
const SCHEMES: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];

/** Chooses between dark and light; by default as the system has it. */
export function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`${texts.label}: ${texts[colorScheme]}`}>
          <Icon name={ICONS[colorScheme]} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map((scheme) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={ICONS[scheme]} size={16} />}
            rightSection={scheme === colorScheme ? <Icon name="check" size={16} /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {texts[scheme]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
