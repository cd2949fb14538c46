import { Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { TextLink } from '../../components/text-link.tsx';
import { UploadProgress } from '../../components/jobs/upload-progress.tsx';
import { UploadStatus } from '../../components/jobs/upload-status.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { JobTable } from './job-table.tsx';
import { UploadMenu } from './upload-menu.tsx';
import { useHasMenus } from './use-has-menus.ts';

type UploadProps = { job: Schemas['UploadSummary'] };

export function UploadTable({ uploads }: { uploads: readonly UploadProps['job'][] }) {
  return (
    <JobTable
      name={jobsTexts.column.name}
      jobs={uploads}
      idOf={({ id }) => id}
      Name={UploadName}
      Status={Status}
      Progress={Progress}
      Menu={useHasMenus('uploads:write') ? UploadMenu : null}
    />
  );
}

function Status({ job: { status } }: UploadProps) {
  return <UploadStatus status={status} />;
}

function Progress({ job }: UploadProps) {
  return <UploadProgress upload={job} name={job.name ?? jobsTexts.nameless} />;
}

function UploadName({ job }: UploadProps) {
  const { id, collection_id: collectionId, successful_uploads: accepted, crawls } = job;
  const collection = useCollectionNames().data?.get(collectionId);
  const facts = [
    ...(accepted > 1 ? [jobsTexts.more(formatCount(accepted - 1))] : []),
    ...(crawls > 0 ? [jobsTexts.crawls(crawls)] : []),
    ...(collection === undefined ? [] : [collection]),
  ].join(' · ');
  return (
    <>
      <TextLink to="/jobs/$uploadId" params={{ uploadId: id }} size="sm" fw={600} className="break-anywhere">
        {job.name ?? jobsTexts.nameless}
      </TextLink>
      {facts === '' ? null : (
        <Text size="xs" c="dimmed" className="break-anywhere">
          {facts}
        </Text>
      )}
    </>
  );
}
