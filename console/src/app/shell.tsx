import { type ReactNode, useRef } from 'react';
import { AppShell, Burger, Group, NavLink, ScrollArea, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { Icon } from '../components/icon.tsx';
import { Wordmark } from '../components/wordmark.tsx';
import { shellTexts } from '../texts/shell-texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { PagePermission } from './page-permission.tsx';
import { permittedPages } from './permitted-pages.ts';
import { SchemeMenu } from './scheme-menu.tsx';
import { SessionGate } from './session-gate.tsx';
import { useSession } from './session.tsx';

/** What surrounds every page: header and navigation, for those who are signed in. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <SessionGate>
      <SignedInShell>{children}</SignedInShell>
    </SessionGate>
  );
}

function SignedInShell({ children }: { children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const content = useRef<HTMLElement>(null);
  const choose = () => {
    // The link that has the focus disappears with the list.
    if (isOpen) content.current?.focus({ preventScroll: true });
    close();
  };
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip-link" href="#content">
        {shellTexts.skip}
      </a>
      <Header isOpen={isOpen} onToggle={toggle} />
      <AppShell.Navbar p="xs" aria-label={shellTexts.navigation} className="navigation" data-open={isOpen || undefined}>
        <Navigation onChoose={choose} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} ref={content}>
        <Stack maw={1200} mx="auto" gap={0}>
          <PagePermission>{children}</PagePermission>
        </Stack>
      </AppShell.Main>
    </AppShell>
  );
}

function Header({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) {
  return (
    <AppShell.Header px="md">
      <Group h="100%" justify="space-between" wrap="nowrap">
        <Group wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={onToggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? shellTexts.closeNavigation : shellTexts.openNavigation}
          />
          <Wordmark />
        </Group>
        <Group gap={4} wrap="nowrap">
          <SchemeMenu />
          <AccountMenu />
        </Group>
      </Group>
    </AppShell.Header>
  );
}

function Navigation({ onChoose }: { onChoose: () => void }) {
  const entries = permittedPages(useSession());
  return (
    <>
      <ScrollArea flex={1} type="auto">
        {entries.map(({ route, navigation: { label, icon } }) => (
          <Link key={route.id} to={route.fullPath} onClick={onChoose} className="navigation-link">
            {({ isActive }) => (
              <NavLink component="span" label={label} leftSection={<Icon name={icon} />} active={isActive} />
            )}
          </Link>
        ))}
      </ScrollArea>
      <NavLink href="/docs" target="_blank" label={shellTexts.reference} leftSection={<Icon name="external" />} />
    </>
  );
}
