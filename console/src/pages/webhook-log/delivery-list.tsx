import { type ReactNode, useState } from 'react';
import { Stack } from '@mantine/core';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import { Loading } from '../../components/loading.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import type { DeliveryFilter } from './delivery-filter.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { useDeliveries, useRedeliver } from './use-deliveries.ts';

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

/** What was sent, each with its attempts in a drawer. */
export function DeliveryList({ webhookId, filter, maySendAgain, onClear, empty }: DeliveryListProps) {
  const list = useDeliveries(webhookId, filter);
  const sending = useRedeliver();
  const [openId, setOpenId] = useState<string | null>(null);
  const { data, error, isPending, refetch } = list;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading />;
  if (data.length === 0) {
    const isFiltered = (filter.status ?? filter.event) !== undefined;
    return isFiltered ? <NothingFound texts={webhooksTexts.log.nothingFound} onClear={onClear} /> : empty;
  }
  const sendAgain = maySendAgain ? ({ id }: { id: string }) => sending.mutate(id) : null;
  return (
    <Stack>
      <DeliveryTable
        deliveries={data}
        showsReceiver={webhookId === null}
        onOpen={({ id }) => setOpenId(id)}
        onSendAgain={sendAgain}
      />
      <MoreButton list={list} />
      <DeliveryDrawer
        delivery={data.find(({ id }) => id === openId)}
        onSendAgain={sendAgain}
        onClose={() => setOpenId(null)}
      />
      <FailureDialog error={sending.error} onClose={sending.reset} />
    </Stack>
  );
}
