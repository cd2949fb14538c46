import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSession } from '../../app/session.tsx';
import { AddButton } from '../../components/add-button.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { useWebhooks } from './use-webhooks.ts';
import { grantableEvents } from './subscribable-event.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WebhookTable } from './webhook-table.tsx';

const texts = webhooksTexts;

/** The webhooks of the workspace. */
export function WebhooksPage() {
  const session = useSession();
  const [isCreating, { open, close }] = useDisclosure();
  const mayCreate = session.may('webhooks:write') && grantableEvents(session).length > 0;
  const actions = (
    <>
      <ButtonLink variant="default" to="/webhooks/deliveries">
        {texts.deliveries.open}
      </ButtonLink>
      {mayCreate ? <AddButton label={texts.create} onClick={open} /> : null}
    </>
  );
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={actions} />
      <WebhookList onCreate={mayCreate ? open : null} />
      <WebhookDialog webhook={null} isOpen={isCreating} onClose={close} />
    </>
  );
}

function WebhookList({ onCreate }: { onCreate: (() => void) | null }) {
  return (
    <Loaded query={useWebhooks()}>
      {(webhooks) =>
        webhooks.length === 0 ? <NoWebhooks onCreate={onCreate} /> : <WebhookTable webhooks={webhooks} />
      }
    </Loaded>
  );
}

function NoWebhooks({ onCreate }: { onCreate: (() => void) | null }) {
  const { title, advice, adviceReading } = texts.empty;
  if (onCreate === null) return <EmptyState icon="webhook" title={title} advice={adviceReading} />;
  const create = <Button onClick={onCreate}>{texts.create}</Button>;
  return <EmptyState icon="webhook" title={title} advice={advice} action={create} />;
}
