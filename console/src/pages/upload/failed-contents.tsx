import { ActionIcon, Button, Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { PageSection } from '../../components/page-section.tsx';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { useRetryContents, useUploadContents } from './use-upload.ts';

const texts = jobsTexts.upload;

/** The contents that failed, with the reason and what to do, to try them again. */
export function FailedContents({ upload }: { upload: Schemas['UploadProgress'] }) {
  const { mayChange } = useSession();
  const list = useUploadContents(upload.id, { status: 'failed', isRunning: upload.status === 'running' });
  const retrying = useRetryContents(upload.id);
  const { data: failed, error, isFetchNextPageError } = list;
  const notice = error === null ? null : <ErrorNotice error={error} onRetry={() => void list.refetch()} />;
  if (failed === undefined || failed.length === 0) return notice;
  const retry = (ids: readonly string[]) => retrying.mutate(ids);
  const mayRetry = mayChange(upload.collection_id, 'contents:write');
  return (
    <PageSection
      title={texts.failed}
      explanation={texts.failedAdvice}
      actions={
        mayRetry ? <RetryAll ids={failed.map(({ content_id: id }) => id)} retrying={retrying} onRetry={retry} /> : null
      }
    >
      {isFetchNextPageError ? null : notice}
      {retrying.error === null ? null : <ErrorNotice error={retrying.error} />}
      <Paper withBorder radius="lg" px="md">
        {failed.map((content) => (
          <FailedLine
            key={content.content_id}
            content={content}
            onRetry={mayRetry && !retrying.isPending ? retry : null}
          />
        ))}
      </Paper>
      <MoreButton list={list} />
    </PageSection>
  );
}

type RetryAllProps = {
  ids: readonly string[];
  retrying: { isPending: boolean; done: number; variables: readonly string[] | undefined };
  onRetry: (ids: readonly string[]) => void;
};

function RetryAll({ ids, retrying: { isPending, done, variables }, onRetry }: RetryAllProps) {
  return (
    <Group gap="sm">
      <VisuallyHidden role="status">{isPending ? texts.retrying(done, variables?.length ?? 0) : ''}</VisuallyHidden>
      <Button variant="default" loading={isPending} onClick={() => onRetry(ids)}>
        {texts.retryAll}
      </Button>
    </Group>
  );
}

type FailedLineProps = {
  content: Schemas['UploadProgress']['contents'][number];
  onRetry: ((ids: readonly string[]) => void) | null;
};

function FailedLine({ content, onRetry }: FailedLineProps) {
  const { content_id: id, name, error_code: code, status_message: message, chunks } = content;
  return (
    <Group justify="space-between" wrap="nowrap" py="sm" className="listed">
      <Stack gap={2} miw={0}>
        <Text size="sm" fw={600} className="break-anywhere">
          {name}
        </Text>
        <Text size="sm" c="var(--mantine-color-error)" className="break-anywhere">
          {message ?? code}
        </Text>
        {chunks === 0 ? null : (
          <Text size="xs" c="dimmed">
            {texts.chunkCount(chunks, formatCount(chunks))}
          </Text>
        )}
      </Stack>
      {onRetry === null ? null : (
        <ActionIcon variant="subtle" color="gray" aria-label={texts.retry(name)} onClick={() => onRetry([id])}>
          <Icon name="restore" />
        </ActionIcon>
      )}
    </Group>
  );
}
