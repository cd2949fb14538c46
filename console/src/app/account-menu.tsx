import { ActionIcon, Menu, Stack, Text } from '@mantine/core';
import { Icon } from '../components/icon.tsx';
import { shellTexts } from '../texts/shell-texts.ts';
import { useSession } from './session.tsx';

const texts = shellTexts.access;

/** Who is signed in, what they may do, and the way out. */
export function AccountMenu() {
  const { access, changeWorkspace, signOut, signOutAtIssuer: atIssuer } = useSession();
  const { user_id: user, permissions, collections, workspace_id: workspace, api_key: key } = access;
  return (
    <Menu position="bottom-end" width={280} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={shellTexts.account}>
          <Icon name="user" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Stack gap={2} px="sm" py="xs">
          <Text size="sm" fw={600} className="break-anywhere">
            {shellTexts.signedInAs(user ?? key?.label ?? null)}
          </Text>
          <Text size="xs" c="dimmed">
            {permissions.includes('*') ? texts.everything : texts.some(permissions.length)}
          </Text>
          {collections === null ? null : (
            <Text size="xs" c="dimmed">
              {texts.collections(collections.length)}
            </Text>
          )}
          <Text size="xs" c="dimmed" className="break-anywhere">
            {texts.workspace} {workspace}
          </Text>
        </Stack>
        <Menu.Divider />
        {changeWorkspace === null ? null : (
          <Menu.Item onClick={changeWorkspace}>{shellTexts.workspaces.change}</Menu.Item>
        )}
        <Menu.Item onClick={signOut}>{shellTexts.signOut}</Menu.Item>
        {atIssuer === null ? null : <Menu.Item onClick={atIssuer.go}>{shellTexts.signOutAt(atIssuer.host)}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
