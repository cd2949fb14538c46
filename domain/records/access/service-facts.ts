import { z } from 'zod';

/** A setting of the process, without secrets. */
export const ServiceSetting = z
  .object({
    name: z.string().meta({ description: 'Name of the environment variable.' }),
    is_set: z.boolean().meta({ description: 'Whether it has another value than by default.' }),
    is_hidden: z.boolean().meta({
      description: 'True when it has a value that is not shown, because it is a secret or may contain one.',
    }),
    value: z.string().nullable().meta({
      description: 'The value in force, of addresses the scheme and host; null when it has none, or is hidden.',
    }),
  })
  .meta({ id: 'ServiceSetting' });
export type ServiceSetting = z.infer<typeof ServiceSetting>;

/** What concerns the whole service, for those who operate it. */
export const ServiceFacts = z
  .object({
    versions: z
      .object({
        loci: z.string().meta({ description: 'Version of the API process that answers.' }),
        node: z.string().meta({ description: 'Version of Node.js of this process.' }),
        postgres: z.string().nullable().meta({ description: 'Version of Postgres; null while it does not answer.' }),
        temporal: z.string().nullable().meta({ description: 'Version of Temporal; null while it does not answer.' }),
        weaviate: z.string().nullable().meta({ description: 'Version of Weaviate; null while it does not answer.' }),
      })
      .meta({ description: 'Versions of the service and of what it depends on.' }),
    temporal_ui: z
      .object({
        url: z.string().meta({ description: 'Address of the Temporal UI, without a slash at its end.' }),
        namespace: z.string().meta({ description: 'Namespace of the workflows.' }),
      })
      .nullable()
      .meta({
        description:
          'Where workflows are shown: `<url>/namespaces/<namespace>/workflows/<workflow_id>`; null when the address is not configured.',
      }),
    queues: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Name of the task queue: `ingest`, `express`, …' }),
          waiting: z.int().meta({ description: 'Tasks that no worker has taken yet; approximate.' }),
          oldest_age_seconds: z.number().meta({ description: 'Age of the oldest of these; 0 when there is none.' }),
          workers: z.int().meta({ description: 'Workers that asked for tasks within the last minutes.' }),
        }),
      )
      .nullable()
      .meta({ description: 'The task queues, of all workspaces together; null while Temporal does not answer.' }),
    settings: z.array(ServiceSetting).meta({
      description:
        'The settings of the API process that answers; those of workers may be others. `docs/operations.md` explains them.',
    }),
  })
  .meta({ id: 'ServiceFacts' });
export type ServiceFacts = z.infer<typeof ServiceFacts>;
