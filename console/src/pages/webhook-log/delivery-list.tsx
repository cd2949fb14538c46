import { type ReactNode, useState } from 'react';
import { Stack } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import type { DeliveryFilter } from './delivery-filter.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { useDeliveries, useRedeliver } from './use-deliveries.ts';

type Delivery = Schemas['WebhookDelivery'];

export type DeliveryListProps = {
  /** Null for those of all receivers, of deleted webhooks too. */
  webhookId: string | null;
  filter: DeliveryFilter;
  maySendAgain: boolean;
  /** Removes the filter. */
  onClear: () => void;
  /** Shown where nothing was sent yet. */
  empty: ReactNode;
};

/** What was sent, each with its attempts in a drawer, which stays open when the delivery leaves the list. */
export function DeliveryList({ webhookId, filter, maySendAgain, onClear, empty }: DeliveryListProps) {
  const list = useDeliveries(webhookId, filter);
  const sending = useRedeliver();
  const [opened, setOpened] = useState<Delivery | null>(null);
  const isFiltered = (filter.status ?? filter.event) !== undefined;
  const none = isFiltered ? <NothingFound texts={webhooksTexts.log.nothingFound} onClear={onClear} /> : empty;
  const sendAgain = maySendAgain ? ({ id }: { id: string }) => sending.mutate(id) : null;
  return (
    <>
      <Loaded query={list}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            none
          ) : (
            <Stack>
              <DeliveryTable
                deliveries={deliveries}
                showsReceiver={webhookId === null}
                onOpen={setOpened}
                onSendAgain={sendAgain}
              />
              <MoreButton list={list} />
            </Stack>
          )
        }
      </Loaded>
      <DeliveryDrawer
        delivery={list.data?.find(({ id }) => id === opened?.id) ?? opened}
        onSendAgain={sendAgain}
        onClose={() => setOpened(null)}
      />
      <FailureDialog error={sending.error} onClose={sending.reset} />
    </>
  );
}
