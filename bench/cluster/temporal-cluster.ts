import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { childEnvironment } from '#stack/servers/child-environment.ts';
import type { ServerContext } from '#stack/servers/server-context.ts';
import { createManagedProcess, type ManagedProcess } from '#stack/processes/managed-process.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import { reservePorts } from '#stack/reserve-ports.ts';
import { makeCertificates } from '#test/support/fixtures/certificates.ts';
import { buildTemporalServer, type TemporalBinaries } from './build-temporal-server.ts';
import {
  CLUSTER_SERVICES,
  clusterConfig,
  type CertificateFiles,
  type ClusterService,
  type ServicePorts,
} from './cluster-config.ts';

export type TemporalCluster = {
  /** Settings by which API and worker reach it. */
  settings: Readonly<Record<string, string>>;
  services: Readonly<Record<ClusterService, ManagedProcess>>;
  stop(): Promise<void>;
};

const SCHEMAS = { temporal: 'temporal', temporal_visibility: 'visibility' };
const POSTGRES_USER = 'loci';

/** Starts frontend, history, matching and worker as processes of their own, over the Postgres of a running stack. */
export async function startTemporalCluster(context: ServerContext): Promise<TemporalCluster> {
  const binaries = await buildTemporalServer(context);
  const folder = join(context.stateDir, 'temporal-cluster');
  await mkdir(folder, { recursive: true });
  const postgres = {
    port: context.ports.postgres,
    user: POSTGRES_USER,
    password: context.secrets.postgres_password,
  };
  await createSchemas(binaries, postgres);
  const certificates = await writeCertificates(folder);
  const ports = await servicePorts();
  const dynamicConfigFile = join(folder, 'dynamic.yaml');
  await writeFile(dynamicConfigFile, 'matching.enableFairness:\n  - value: true\n');
  const configFile = join(folder, 'config.yaml');
  const config = clusterConfig({ postgres, ports, certificates, dynamicConfigFile });
  await writeFile(configFile, JSON.stringify(config, null, 2), { mode: 0o600 });
  const create = (name: ClusterService) =>
    createManagedProcess({
      name: `temporal-${name}`,
      title: `Temporal ${name}`,
      file: binaries.server,
      args: ['--config-file', configFile, '--allow-no-auth', 'start', '--service', name],
      env: childEnvironment(context.environment, {}),
      cwd: folder,
      logFile: join(context.stateDir, 'logs', `temporal-${name}.log`),
      records: context.records,
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 20_000,
      readyTimeoutMs: 90_000,
      isReady: () => accepts(ports[name].grpc),
    });
  const services = {
    frontend: create('frontend'),
    history: create('history'),
    matching: create('matching'),
    worker: create('worker'),
  };
  const stop = async () => {
    await Promise.all(CLUSTER_SERVICES.map((name) => services[name].stop()));
  };
  try {
    await Promise.all(CLUSTER_SERVICES.map((name) => services[name].start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { settings: settingsOf(ports.frontend.grpc, certificates), services, stop };
}

async function createSchemas(
  { sqlTool }: TemporalBinaries,
  { port, user, password }: { port: number; user: string; password: string },
): Promise<void> {
  const env = { SQL_PLUGIN: 'postgres12', SQL_HOST: '127.0.0.1', SQL_PORT: String(port), SQL_USER: user };
  for (const [database, schema] of Object.entries(SCHEMAS)) {
    const run = (...args: string[]) =>
      runCommand({ file: sqlTool, args: ['--database', database, ...args], env: { ...env, SQL_PASSWORD: password } });
    await run('create-database');
    await run('setup-schema', '--version', '0.0');
    await run('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

async function writeCertificates(folder: string): Promise<CertificateFiles> {
  const { authority, server, client } = await makeCertificates();
  const write = async (name: string, pem: string) => {
    const path = join(folder, name);
    await writeFile(path, pem, { mode: 0o600 });
    return path;
  };
  return {
    authority: await write('authority.pem', authority),
    server: await write('server.pem', server.certificate),
    serverKey: await write('server.key', server.key),
    client: await write('client.pem', client.certificate),
    clientKey: await write('client.key', client.key),
    serverName: 'temporal.example',
  };
}

async function servicePorts(): Promise<Record<ClusterService, ServicePorts>> {
  const free = [...(await reservePorts())];
  const take = (): number => {
    const port = free.pop();
    if (port === undefined) throw new Error('there are too few free ports');
    return port;
  };
  const pair = () => ({ grpc: take(), membership: take() });
  return { frontend: pair(), history: pair(), matching: pair(), worker: pair() };
}

function settingsOf(port: number, certificates: CertificateFiles): Record<string, string> {
  return {
    LOCI_TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    LOCI_TEMPORAL_NAMESPACE: 'loci',
    LOCI_TEMPORAL_TLS_CA_FILE: certificates.authority,
    LOCI_TEMPORAL_TLS_CERT_FILE: certificates.client,
    LOCI_TEMPORAL_TLS_KEY_FILE: certificates.clientKey,
    LOCI_TEMPORAL_TLS_SERVER_NAME: certificates.serverName,
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
