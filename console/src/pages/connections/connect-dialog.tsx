import { useState } from 'react';
import type { Schemas } from '../../api/schemas.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { connectionsTexts } from '../../texts/connections-texts.ts';
import { Authorization } from './authorization.tsx';
import { ConnectionForm } from './connection-form.tsx';

type Connection = Schemas['Connection'];

export type ConnectDialogProps = { connection: Connection | null; isOpen: boolean; onClose: () => void };

/** Connects `connection`, or a new one, which is asked for first, to an account at its provider. */
export function ConnectDialog({ connection, isOpen, onClose }: ConnectDialogProps) {
  const [created, setCreated] = useState<Connection | null>(null);
  const close = () => {
    setCreated(null);
    onClose();
  };
  const connected = connection ?? created;
  const title =
    connected === null
      ? connectionsTexts.form.title
      : connectionsTexts.authorization.title(connected.label ?? connected.integration);
  return (
    <Dialog opened={isOpen} onClose={close} title={title} size="lg" closeOnClickOutside={false}>
      {connected === null ? (
        <ConnectionForm onCreated={setCreated} onClose={close} />
      ) : (
        <Authorization connection={connected} onClose={close} />
      )}
    </Dialog>
  );
}
