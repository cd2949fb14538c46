import { Anchor, Group, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageSection } from '../../components/page-section.tsx';
import { useServiceFacts } from '../../components/service/use-service-facts.ts';
import { formatCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { healthTexts } from '../../texts/health-texts.ts';
import { Fact } from './fact.tsx';
import { FactSection } from './fact-section.tsx';
import { SettingList } from './setting-list.tsx';

const texts = healthTexts;
const REFRESH_MS = 10_000;
/** Written by the build. */
const CONSOLE_VERSION = String(import.meta.env['LOCI_VERSION']);

/** What concerns the whole service, for those who operate it; for all others the version of this console. */
export function ServiceSections() {
  const { access } = useSession();
  const { data, error, refetch } = useServiceFacts({ refreshMs: REFRESH_MS });
  if (!access.is_operator) return <OwnVersion />;
  // Figures that were read before are old, and not shown beside the error.
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const { versions, queues, settings, temporal_ui: temporalUi } = data;
  return (
    <>
      <QueueSection queues={queues} temporalUi={temporalUi} />
      <VersionSection versions={versions} />
      <SettingList settings={settings} />
    </>
  );
}

function OwnVersion() {
  const { access } = useSession();
  return (
    <FactSection title={texts.versions}>
      <Fact name={texts.console} value={CONSOLE_VERSION} note={texts.forOperators(access.workspace_id ?? '')} />
    </FactSection>
  );
}

function VersionSection({ versions }: { versions: Schemas['ServiceFacts']['versions'] }) {
  // `Object.keys` does not know the names.
  const names = Object.keys(texts.version) as (keyof typeof texts.version)[];
  return (
    <FactSection title={texts.versions}>
      {names.map((name) => (
        <VersionLine key={name} name={texts.version[name]} version={versions[name] ?? texts.doesNotAnswer} />
      ))}
      <VersionLine name={texts.console} version={CONSOLE_VERSION} />
    </FactSection>
  );
}

function VersionLine({ name, version }: { name: string; version: string }) {
  return (
    <Group justify="space-between" py="xs" className="listed">
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text size="sm">{version}</Text>
    </Group>
  );
}

type Facts = Schemas['ServiceFacts'];

function QueueSection({ queues, temporalUi }: { queues: Facts['queues']; temporalUi: Facts['temporal_ui'] }) {
  return (
    <PageSection
      title={texts.queues.title}
      explanation={texts.queues.explanation}
      actions={temporalUi === null ? null : <TemporalUiLink ui={temporalUi} />}
    >
      {queues === null ? <Text size="sm">{texts.queues.unknown}</Text> : <QueueTable queues={queues} />}
    </PageSection>
  );
}

function TemporalUiLink({ ui }: { ui: NonNullable<Facts['temporal_ui']> }) {
  const address = `${ui.url}/namespaces/${encodeURIComponent(ui.namespace)}/workflows`;
  return (
    <Anchor href={address} target="_blank" rel="noreferrer" size="sm">
      <Group gap={4} wrap="nowrap" component="span">
        {texts.queues.temporalUi}
        <Icon name="external" size={14} />
      </Group>
    </Anchor>
  );
}

function QueueTable({ queues }: { queues: NonNullable<Facts['queues']> }) {
  const { column } = texts.queues;
  return (
    <ListTable
      actions={null}
      head={
        <>
          <Table.Th>{column.name}</Table.Th>
          <Table.Th ta="right">{column.waiting}</Table.Th>
          <Table.Th ta="right" className="only-wide">
            {column.oldest}
          </Table.Th>
          <Table.Th ta="right">{column.workers}</Table.Th>
        </>
      }
    >
      {queues.map((queue) => (
        <QueueRow key={queue.name} queue={queue} />
      ))}
    </ListTable>
  );
}

function QueueRow({
  queue: { name, waiting, oldest_age_seconds: ageS, workers },
}: {
  queue: NonNullable<Facts['queues']>[number];
}) {
  const use: Readonly<Record<string, string>> = texts.queues.use;
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={2}>
          <Text size="sm" fw={600} className="break-anywhere">
            {name}
          </Text>
          {use[name] === undefined ? null : (
            <Text size="xs" c="dimmed">
              {use[name]}
            </Text>
          )}
        </Stack>
      </Table.Td>
      <Table.Td ta="right">{formatCount(waiting)}</Table.Td>
      <Table.Td ta="right" className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        {waiting === 0 ? texts.queues.none : formatDuration(ageS)}
      </Table.Td>
      <Table.Td ta="right" c={workers === 0 ? 'var(--mantine-color-error)' : ''} fw={workers === 0 ? 600 : 400}>
        {workers === 0 ? texts.queues.noWorkers : formatCount(workers)}
      </Table.Td>
    </Table.Tr>
  );
}
