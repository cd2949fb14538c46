import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { reasonOf, StackError } from './stack-error.ts';

/** The search attributes by which Loci's runs are found in the Temporal UI, as start-dev wants their types. */
export const SEARCH_ATTRIBUTES = {
  LociWorkspace: 'Keyword',
  LociCollection: 'Keyword',
  LociUpload: 'Keyword',
  LociContents: 'Int',
  LociStage: 'Keyword',
} as const;

/** The numbers that the operator API has for these types (`temporal.api.enums.v1.IndexedValueType`). */
const TYPE_NUMBERS = { Keyword: 2, Int: 3 } as const;

const CONNECT_TIMEOUT_MS = 5_000;
const CALL_TIMEOUT_MS = 20_000;
/** A namespace made a moment ago is not yet known to every part of the server. */
const PROPAGATION_POLL_MS = 500;
const STANDARD_RETENTION_DAYS = 7;
const DAY_MS = 86_400_000;
/** gRPC's number for "there is no such thing". */
const NOT_FOUND = 5;

export type NamespacePreparation = {
  address: string;
  namespace: string;
  /** How long closed runs are kept; null leaves it as the server has it. */
  retentionDays: number | null;
};

/**
 * Makes a Temporal namespace fit for Loci: makes it if there is none, registers what is missing of the search attributes,
 * and sets the retention.
 * Doing it twice is fine. @throws StackError that says what to do by hand when the server refuses
 */
export async function prepareNamespace({ address, namespace, retentionDays }: NamespacePreparation): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS }).catch(
    (error: unknown) => {
      throw new StackError(`Temporal at ${address} cannot be reached: ${reasonOf(error)}`, { cause: error });
    },
  );
  try {
    await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
      await makeIfAbsent(connection, namespace, retentionDays ?? STANDARD_RETENTION_DAYS);
      await registerMissing(connection, namespace);
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
        'By hand it is:',
        ...commands,
      ].join('\n'),
      { cause: error },
    );
  } finally {
    await connection.close();
  }
}

async function makeIfAbsent(connection: Connection, namespace: string, days: number): Promise<void> {
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

async function registerMissing(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => customAttributes[name] === undefined);
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, TYPE_NUMBERS[type]])),
  });
}

async function setRetention(connection: Connection, namespace: string, days: number): Promise<void> {
  const wanted = msToTs(days * DAY_MS);
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  if (String(config?.workflowExecutionRetentionTtl?.seconds) === String(wanted.seconds)) return;
  await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: wanted } });
}
