import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Permission } from '../../api/permission.ts';
import { useSession } from '../../app/session.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { CompressionList } from './compression-list.tsx';
import { DeletionList } from './deletion-list.tsx';
import { IndexJobs } from './index-jobs.tsx';
import { jobFilterOf } from './job-filter.ts';
import { UploadList } from './upload-list.tsx';

const route = getRouteApi('/jobs');
const TABS = [
  { name: 'uploads', needs: 'uploads:read', Content: UploadList },
  { name: 'index', needs: 'collections:read', Content: IndexJobs },
  { name: 'deletions', needs: 'deletions:read', Content: DeletionList },
  { name: 'compressions', needs: 'compress:read', Content: CompressionList },
] as const satisfies readonly { name: string; needs: Permission; Content: unknown }[];

/** Uploads, and what else goes on for longer than a request. */
export function JobsPage() {
  const { may } = useSession();
  const { tab = 'uploads' } = route.useSearch();
  const navigate = route.useNavigate();
  const permitted = TABS.filter(({ needs }) => may(needs));
  const shown = permitted.find(({ name }) => name === tab) ?? permitted[0];
  if (shown === undefined) return null;
  return (
    <>
      <PageHeader title={jobsTexts.title} description={jobsTexts.description} />
      <Tabs value={shown.name} onChange={(name) => void navigate({ search: jobFilterOf({ tab: name }) })}>
        <Tabs.List mb="md" className="tabs-in-a-row">
          {permitted.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {jobsTexts.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={shown.name}>
          <shown.Content />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
