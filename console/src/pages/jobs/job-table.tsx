import type { ComponentType } from 'react';
import { Group, Stack, Table } from '@mantine/core';
import { ListTable } from '../../components/list-table.tsx';
import { Time } from '../../components/time.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';

const { column } = jobsTexts;

export type JobTableProps<Job extends { created_at: string }> = {
  /** The heading of the first column. */
  name: string;
  jobs: readonly Job[];
  idOf: (job: Job) => string;
  Name: ComponentType<{ job: Job }>;
  Status: ComponentType<{ job: Job }>;
  Progress: ComponentType<{ job: Job }>;
  /** What can be done with a job; null where nobody can do anything. */
  Menu: ComponentType<{ job: Job }> | null;
};

/** A table of jobs: what they are, how far they are, and what can be done with them. */
export function JobTable<Job extends { created_at: string }>({ name, jobs, idOf, ...cells }: JobTableProps<Job>) {
  return (
    <ListTable
      actions={cells.Menu === null ? null : column.actions}
      head={
        <>
          <Table.Th>{name}</Table.Th>
          <Table.Th className="only-wide">{column.status}</Table.Th>
          <Table.Th className="only-wide">{column.progress}</Table.Th>
          <Table.Th className="only-wide">{column.started}</Table.Th>
        </>
      }
    >
      {jobs.map((job) => (
        <JobRow key={idOf(job)} job={job} {...cells} />
      ))}
    </ListTable>
  );
}

type JobRowProps<Job extends { created_at: string }> = Omit<JobTableProps<Job>, 'name' | 'jobs' | 'idOf'> & {
  job: Job;
};

function JobRow<Job extends { created_at: string }>({ job, Name, Status, Progress, Menu }: JobRowProps<Job>) {
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={2}>
          <Name job={job} />
          <Group className="only-narrow" gap="sm">
            <Status job={job} />
            <Progress job={job} />
          </Group>
        </Stack>
      </Table.Td>
      <Table.Td className="only-wide">
        <Status job={job} />
      </Table.Td>
      <Table.Td className="only-wide" miw={160}>
        <Progress job={job} />
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Time at={job.created_at} />
      </Table.Td>
      {Menu === null ? null : (
        <Table.Td>
          <Menu job={job} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}
