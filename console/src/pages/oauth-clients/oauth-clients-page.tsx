import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSession } from '../../app/session.tsx';
import { AddButton } from '../../components/add-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { oauthClientsTexts } from '../../texts/oauth-clients-texts.ts';
import { ClientDialog } from './client-dialog.tsx';
import { ClientTable } from './client-table.tsx';
import { useOAuthClients } from './use-oauth-clients.ts';

const texts = oauthClientsTexts;

/** The OAuth clients that the connections of the workspace share. */
export function OAuthClientsPage() {
  const { may, access } = useSession();
  const [isCreating, { open, close }] = useDisclosure();
  const mayWrite = may('workspaces:write') && access.collections === null;
  const above = (
    <TextLink to="/connections" size="sm">
      {texts.back}
    </TextLink>
  );
  const create = <AddButton label={texts.create} onClick={open} />;
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        above={above}
        actions={mayWrite ? create : null}
      />
      <ClientList onCreate={mayWrite ? open : null} />
      <ClientDialog client={null} isOpen={isCreating} onClose={close} />
    </>
  );
}

function ClientList({ onCreate }: { onCreate: (() => void) | null }) {
  return (
    <Loaded query={useOAuthClients()}>
      {(clients) => (clients.length === 0 ? <NoClients onCreate={onCreate} /> : <ClientTable clients={clients} />)}
    </Loaded>
  );
}

function NoClients({ onCreate }: { onCreate: (() => void) | null }) {
  const { title, advice, adviceReading } = texts.empty;
  if (onCreate === null) return <EmptyState icon="key" title={title} advice={adviceReading} />;
  const create = <Button onClick={onCreate}>{texts.create}</Button>;
  return <EmptyState icon="key" title={title} advice={advice} action={create} />;
}
