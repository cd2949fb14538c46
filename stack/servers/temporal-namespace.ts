import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { reasonOf, StackError } from '#stack/stack-error.ts';

/** Search attributes of Loci's workflows, with the type names that `temporal server start-dev` accepts. */
export const SEARCH_ATTRIBUTES = {
  LociWorkspace: 'Keyword',
  LociCollection: 'Keyword',
  LociUpload: 'Keyword',
  LociContents: 'Int',
  LociStage: 'Keyword',
} as const;

/** Numbers of these types in the operator API (`temporal.api.enums.v1.IndexedValueType`). */
const TYPE_NUMBERS = { Keyword: 2, Int: 3 } as const;

const CONNECT_TIMEOUT_MS = 5_000;
const CALL_TIMEOUT_MS = 20_000;
/** A new namespace is not immediately known to every service of the server. */
const PROPAGATION_POLL_MS = 500;
const DEFAULT_RETENTION_DAYS = 7;
const DAY_MS = 86_400_000;
/** gRPC status code NOT_FOUND. */
const NOT_FOUND = 5;

export type NamespacePreparation = {
  address: string;
  namespace: string;
  /** Days for which closed workflows are kept; null keeps the setting of the server. */
  retentionDays: number | null;
};

/**
 * Prepares a Temporal namespace for Loci: creates it if it is missing, registers missing search attributes, and sets the
 * retention. Idempotent.
 * @throws StackError that lists the commands to run by hand if the server refuses
 */
export async function prepareTemporalNamespace({
  address,
  namespace,
  retentionDays,
}: NamespacePreparation): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS }).catch(
    (error: unknown) => {
      throw new StackError(`Temporal at ${address} is unreachable: ${reasonOf(error)}`, { cause: error });
    },
  );
  try {
    await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
      await createIfMissing(connection, namespace, retentionDays ?? DEFAULT_RETENTION_DAYS);
      await registerMissingAttributes(connection, namespace);
      if (retentionDays !== null) await setRetention(connection, namespace, retentionDays);
    });
  } catch (error) {
    const commands = Object.entries(SEARCH_ATTRIBUTES).map(
      ([name, type]) =>
        `  temporal operator search-attribute create --address ${address} --namespace ${namespace} --name ${name} --type ${type}`,
    );
    throw new StackError(
      [
        `The namespace ${namespace} of Temporal at ${address} could not be prepared: ${reasonOf(error)}`,
        'To prepare it by hand, run:',
        ...commands,
      ].join('\n'),
      { cause: error },
    );
  } finally {
    await connection.close();
  }
}

async function createIfMissing(connection: Connection, namespace: string, days: number): Promise<void> {
  const { workflowService, operatorService } = connection;
  if (await isFound(workflowService.describeNamespace({ namespace }))) return;
  await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs(days * DAY_MS) });
  while (!(await isFound(operatorService.listSearchAttributes({ namespace })))) await delay(PROPAGATION_POLL_MS);
}

async function isFound(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return false;
    throw error;
  }
}

async function registerMissingAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => customAttributes[name] === undefined);
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, TYPE_NUMBERS[type]])),
  });
}

async function setRetention(connection: Connection, namespace: string, days: number): Promise<void> {
  const retention = msToTs(days * DAY_MS);
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  if (String(config?.workflowExecutionRetentionTtl?.seconds) === String(retention.seconds)) return;
  await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: retention } });
}
