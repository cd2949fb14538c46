import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { AddButton } from '../../components/add-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ChoiceFilter } from '../../components/filters/choice-filter.tsx';
import { SearchField } from '../../components/filters/search-field.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { connectionsTexts } from '../../texts/connections-texts.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import type { ConnectionFilter } from './connection-filter.ts';
import { ConnectionTable } from './connection-table.tsx';
import { useConnections } from './use-connections.ts';

const route = getRouteApi('/connections');
const texts = connectionsTexts;

/** The accounts at other services, and the state of their tokens. */
export function ConnectionsPage() {
  const { may } = useSession();
  const [isConnecting, { open, close }] = useDisclosure();
  const mayWrite = may('connections:write');
  const actions = (
    <>
      {may('workspaces:read') ? (
        <TextLink to="/connections/clients" size="sm" mr="xs">
          {texts.toClients}
        </TextLink>
      ) : null}
      {mayWrite ? <AddButton label={texts.connect} onClick={open} /> : null}
    </>
  );
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={actions} />
      <ConnectionFilters />
      <ConnectionList onConnect={mayWrite ? open : null} />
      <ConnectDialog connection={null} isOpen={isConnecting} onClose={close} />
    </>
  );
}

/** The filter is in the address of the page. */
function ConnectionFilters() {
  const { user, status } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changes: ConnectionFilter) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  return (
    <Group mb="md" gap="sm">
      <SearchField label={texts.filter.user} value={user} onSearch={(text) => change({ user: text })} />
      <ChoiceFilter
        label={texts.filter.status}
        any={texts.filter.anyStatus}
        names={texts.status}
        value={status}
        onChoose={(chosen) => change({ status: chosen })}
      />
    </Group>
  );
}

function ConnectionList({ onConnect }: { onConnect: (() => void) | null }) {
  const list = useConnections(route.useSearch());
  return (
    <Loaded query={list}>
      {(connections) =>
        connections.length === 0 ? (
          <NoConnections onConnect={onConnect} />
        ) : (
          <Stack>
            <ConnectionTable connections={connections} />
            <MoreButton list={list} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function NoConnections({ onConnect }: { onConnect: (() => void) | null }) {
  const { user, status } = route.useSearch();
  const navigate = route.useNavigate();
  if ((user ?? status) !== undefined) {
    return <NothingFound texts={texts.nothingFound} onClear={() => void navigate({ search: {} })} />;
  }
  const { title, advice, adviceReading } = texts.empty;
  if (onConnect === null) return <EmptyState icon="link" title={title} advice={adviceReading} />;
  const connect = <Button onClick={onConnect}>{texts.connect}</Button>;
  return <EmptyState icon="link" title={title} advice={advice} action={connect} />;
}
