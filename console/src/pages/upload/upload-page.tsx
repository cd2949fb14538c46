import { Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { UploadProgress } from '../../components/jobs/upload-progress.tsx';
import { UploadStatus } from '../../components/jobs/upload-status.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { uploadActionsOf, useControlUpload } from '../../components/jobs/use-control-upload.ts';
import { WorkflowLink } from '../../components/service/workflow-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { CrawlList } from './crawl-list.tsx';
import { FailedContents } from './failed-contents.tsx';
import { RejectedItems } from './rejected-items.tsx';
import { UploadContents } from './upload-contents.tsx';
import { useUpload } from './use-upload.ts';

type Upload = Schemas['UploadProgress'];
const route = getRouteApi('/jobs/$uploadId');
const texts = jobsTexts.upload;

/** One upload: how far it is, what failed and why, its crawls and contents. */
export function UploadPage() {
  const { uploadId } = route.useParams();
  return <Loaded query={useUpload(uploadId)}>{(upload) => <ShownUpload upload={upload} />}</Loaded>;
}

function ShownUpload({ upload }: { upload: Upload }) {
  const { contents, successful_uploads: accepted, errors, crawls, progress } = upload;
  const name = contents[0]?.name ?? errors[0]?.name ?? jobsTexts.nameless;
  const title = accepted > 1 ? `${name} ${jobsTexts.more(formatCount(accepted - 1))}` : name;
  const above = (
    <TextLink to="/jobs" size="sm">
      {texts.back}
    </TextLink>
  );
  return (
    <>
      <PageHeader title={title} above={above} actions={<UploadControls upload={upload} />} />
      <Stack gap="xl">
        <UploadFacts upload={upload} name={title} />
        {(progress.by_status['failed'] ?? 0) > 0 ? <FailedContents upload={upload} /> : null}
        <RejectedItems errors={errors} />
        <CrawlList crawls={crawls} />
        <UploadContents upload={upload} />
      </Stack>
    </>
  );
}

function UploadControls({ upload: { id, status, collection_id: collectionId } }: { upload: Upload }) {
  const { mayChange } = useSession();
  const control = useControlUpload(id);
  const actions = mayChange(collectionId, 'uploads:write') ? uploadActionsOf(status) : [];
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {actions.map((action) => (
          <Button key={action} variant="default" loading={control.isPending} onClick={() => control.mutate(action)}>
            {jobsTexts.control[action]}
          </Button>
        ))}
      </Group>
      {control.error === null ? null : <ErrorNotice error={control.error} />}
    </Stack>
  );
}

function UploadFacts({ upload, name }: { upload: Upload; name: string }) {
  const { collection_id: collectionId, created_at: createdAt, progress } = upload;
  const collection = useCollectionNames().data?.get(collectionId);
  return (
    <Stack gap="xs" maw={560}>
      <Group gap="lg">
        <UploadStatus status={upload.status} />
        <Text size="sm" c="dimmed">
          {texts.sent} <Time at={createdAt} />
        </Text>
        <WorkflowLink workflowId={upload.workflow_id} name={name} />
      </Group>
      <UploadProgress upload={upload} name={name} />
      <Text size="sm" c="dimmed" className="break-anywhere">
        {texts.chunks(progress.chunks, formatCount(progress.chunks))}
        {collection === undefined ? null : (
          <>
            {' · '}
            {texts.into}{' '}
            <TextLink to="/collections/$collectionId" params={{ collectionId }} underline="always">
              {collection}
            </TextLink>
          </>
        )}
      </Text>
    </Stack>
  );
}
