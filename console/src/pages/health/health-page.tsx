import { Alert, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { healthTexts } from '../../texts/health-texts.ts';
import { Fact } from './fact.tsx';
import { FactSection } from './fact-section.tsx';
import { ServiceSections } from './service-sections.tsx';
import { useReadiness } from './use-readiness.ts';

const texts = healthTexts;
const DEPENDENCIES = ['postgres', 'weaviate', 'temporal', 'blobs'] as const;

/** Whether everything that the service needs answers, which models it uses, and for operators what it does and how it is set. */
export function HealthPage() {
  const { data, error, isPending, refetch } = useReadiness();
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      {error !== null ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Loading />
      ) : (
        <State readiness={data} />
      )}
    </>
  );
}

function State({ readiness }: { readiness: Schemas['Readiness'] }) {
  const { status, dependencies } = readiness;
  const { title, advice } = texts.status[status];
  return (
    <Stack gap="xl">
      <Alert
        variant="outline"
        color={status === 'ok' ? 'green' : 'red'}
        icon={<Icon name={status === 'ok' ? 'check' : 'alert'} />}
        title={title}
        role="status"
        styles={{ label: { color: 'var(--mantine-color-text)' } }}
      >
        {advice}
      </Alert>
      <FactSection title={texts.dependencies}>
        {DEPENDENCIES.map((name) => (
          <Dependency key={name} name={name} state={dependencies[name]} />
        ))}
      </FactSection>
      <Models readiness={readiness} />
      <ServiceSections />
    </Stack>
  );
}

type DependencyProps = { name: (typeof DEPENDENCIES)[number]; state: Schemas['DependencyState'] };

function Dependency({ name, state: { ok, detail } }: DependencyProps) {
  const { name: title, use } = texts.dependency[name];
  return (
    <Group justify="space-between" py="sm" wrap="nowrap" className="listed">
      <Stack gap={2}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {detail ?? use}
        </Text>
      </Stack>
      <Text size="sm" fw={600} ta="right" c={ok ? 'var(--mantine-color-text)' : 'var(--mantine-color-error)'}>
        {ok ? texts.answers : texts.doesNotAnswer}
      </Text>
    </Group>
  );
}

function Models({ readiness: { embedders, embedder_note: note, reranker } }: { readiness: Schemas['Readiness'] }) {
  return (
    <FactSection title={texts.models}>
      {embedders.map(({ name, provider, model, dimensions }, at) => (
        <Fact
          key={name}
          name={name}
          value={`${provider}/${texts.embedder(model, dimensions)}`}
          mark={at === 0 ? texts.default : null}
          note={at === 0 ? note : null}
        />
      ))}
      <Fact name={texts.reranker} value={reranker ?? texts.noReranker} />
    </FactSection>
  );
}
