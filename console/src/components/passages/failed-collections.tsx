import { Alert, List } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { passagesTexts } from '../../texts/passages-texts.ts';
import { Icon } from '../icon.tsx';

export type FailedCollectionsProps = {
  failed: readonly Schemas['FailedCollection'][];
  names: ReadonlyMap<string, string> | undefined;
};

/** The collections that could not be searched, and why. */
export function FailedCollections({ failed, names }: FailedCollectionsProps) {
  if (failed.length === 0) return null;
  return (
    <Alert variant="default" icon={<Icon name="alert" />} title={passagesTexts.failed}>
      <List size="sm">
        {failed.map(({ collection_id: id, message }) => (
          <List.Item key={id}>
            <b>{names?.get(id) ?? id}</b>: {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
