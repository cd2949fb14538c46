import { Group, List, Paper, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { type StatusMark, StatusText } from '../../components/status-text.tsx';
import { PageSection } from '../../components/page-section.tsx';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';

type Crawl = Schemas['UploadCrawl'];
const texts = jobsTexts.crawl;
const MARKS: Readonly<Record<Crawl['status'], StatusMark>> = {
  running: 'working',
  paused: 'waiting',
  completed: 'good',
  cancelled: 'idle',
  failed: 'bad',
};
// `Object.keys` does not know the names.
const COUNTS = Object.keys(texts.counts) as (keyof typeof texts.counts)[];

/** The crawls of an upload: their pages by what became of them, and why some are missing. */
export function CrawlList({ crawls }: { crawls: readonly Crawl[] }) {
  if (crawls.length === 0) return null;
  return (
    <PageSection title={jobsTexts.upload.crawls}>
      <Paper withBorder radius="lg" px="md">
        {crawls.map((crawl) => (
          <CrawlFacts key={crawl.id} crawl={crawl} />
        ))}
      </Paper>
    </PageSection>
  );
}

function CrawlFacts({ crawl }: { crawl: Crawl }) {
  const { url, status, status_message: message, pages, max_pages: maxPages, max_depth: maxDepth } = crawl;
  const counts = COUNTS.flatMap((name) =>
    pages[name] === 0 ? [] : [`${formatCount(pages[name])} ${texts.counts[name]}`],
  );
  return (
    <Stack gap={4} py="sm" className="listed">
      <Group justify="space-between" gap="sm">
        <Text size="sm" fw={600} className="break-anywhere">
          {url}
        </Text>
        <StatusText mark={MARKS[status]} text={jobsTexts.crawlStatus[status]} />
      </Group>
      <Text size="sm">
        {texts.pages}: {counts.length === 0 ? formatCount(0) : counts.join(', ')}
      </Text>
      {message === null ? null : (
        <Text size="sm" className="break-anywhere">
          {message}
        </Text>
      )}
      <CrawlReasons reasons={crawl.reasons} />
      <Group gap="lg">
        <Text size="xs" c="dimmed">
          {texts.limits(formatCount(maxPages), maxDepth)}
        </Text>
        <WorkflowLink workflowId={crawl.workflow_id} name={url} />
      </Group>
    </Stack>
  );
}

function CrawlReasons({ reasons }: { reasons: Crawl['reasons'] }) {
  const counted = Object.entries(reasons).toSorted(([, one], [, other]) => other - one);
  if (counted.length === 0) return null;
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {texts.reasons}
      </Text>
      <List size="xs">
        {counted.map(([reason, count]) => (
          <List.Item key={reason}>
            {formatCount(count)} × {reason.replaceAll('_', ' ')}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
