import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { TemporalSettings } from '#config/temporal-settings.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';
import { temporalConnection } from '#workers/temporal-connection.ts';

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
/** gRPC status codes. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

export type NamespacePreparation = {
  temporal: TemporalSettings;
  /** Days for which closed workflows are kept; null keeps the setting of the server. */
  retentionDays: number | null;
};

/**
 * Prepares a Temporal namespace for Loci: creates it if it is missing, registers missing search attributes, and sets the
 * retention. A namespace that others manage is only checked. Idempotent.
 * @throws StackError that lists the commands to run by hand if the server refuses
 */
export async function prepareTemporalNamespace({ temporal, retentionDays }: NamespacePreparation): Promise<void> {
  const { address, namespace, isManaged } = temporal;
  const connection = await Connection.connect({
    ...temporalConnection(temporal),
    connectTimeout: CONNECT_TIMEOUT_MS,
  }).catch((error: unknown) => {
    throw new StackError(`Temporal at ${address} is unreachable: ${reasonOf(error)}\n${connectionAdvice(temporal)}`, {
      cause: error,
    });
  });
  try {
    await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      // A managed service finds the namespace of a call in this header.
      connection.withMetadata({ 'temporal-namespace': namespace }, () =>
        isManaged ? requireAttributes(connection, namespace) : prepare(connection, namespace, retentionDays),
      ),
    );
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

/** What to look at when no connection comes about: a server that refuses a client often just hangs up. */
function connectionAdvice({ tls, apiKey }: TemporalSettings): string {
  if (tls === null) return 'If it requires TLS, set LOCI_TEMPORAL_TLS=true; see docs/operations.md.';
  const shown = tls.client ? 'a client certificate' : apiKey === null ? 'no client certificate' : 'an API key';
  return `The connection uses TLS with ${shown}. Check LOCI_TEMPORAL_TLS_CA, LOCI_TEMPORAL_TLS_CERT, LOCI_TEMPORAL_TLS_KEY and LOCI_TEMPORAL_API_KEY.`;
}

async function prepare(connection: Connection, namespace: string, retentionDays: number | null): Promise<void> {
  await createIfMissing(connection, namespace, retentionDays ?? DEFAULT_RETENTION_DAYS);
  const missing = await missingAttributes(connection, namespace);
  if (missing.length > 0) {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, TYPE_NUMBERS[type]])),
    });
  }
  if (retentionDays !== null) await setRetention(connection, namespace, retentionDays);
}

/** @throws StackError that names the search attributes that a managed namespace lacks */
async function requireAttributes(connection: Connection, namespace: string): Promise<void> {
  await connection.workflowService.describeNamespace({ namespace });
  const missing = await missingAttributes(connection, namespace).catch((error: unknown) => {
    // Not every managed service lets its customers list them.
    if (hasCode(error, PERMISSION_DENIED) || hasCode(error, UNIMPLEMENTED)) return [];
    throw error;
  });
  const names = missing.map(([name]) => name);
  if (names.length > 0) throw new StackError(`it lacks the search attributes ${names.join(', ')}`);
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
    if (hasCode(error, NOT_FOUND)) return false;
    throw error;
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

async function missingAttributes(connection: Connection, namespace: string) {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => customAttributes[name] === undefined);
}

async function setRetention(connection: Connection, namespace: string, days: number): Promise<void> {
  const retention = msToTs(days * DAY_MS);
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  if (String(config?.workflowExecutionRetentionTtl?.seconds) === String(retention.seconds)) return;
  await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: retention } });
}
