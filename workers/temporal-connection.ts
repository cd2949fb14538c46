import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { pathToFileURL } from 'node:url';
import type { ConnectionOptions } from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { ConfigError } from '#config/config-error.ts';
import type { TemporalSettings } from '#config/temporal-settings.ts';

/** Authorities may be several certificates in one text. */
const CERTIFICATES = /-----BEGIN [A-Z ]*CERTIFICATE-----.*?(?=-----BEGIN |$)/gs;

/** What the clients and workers of the SDK need to reach Temporal. */
export type TemporalConnection = Pick<ConnectionOptions, 'tls'> & { address: string; apiKey?: string };

/**
 * Returns the connection options of the SDK, the same for clients and workers.
 * @throws ConfigError if a certificate or key cannot be used, or they do not belong together
 */
export function temporalConnection({ address, tls, apiKey }: TemporalSettings): TemporalConnection {
  return { address, tls: tls === null ? false : tlsOptions(tls), ...(apiKey === null ? {} : { apiKey }) };
}

function tlsOptions({ authority, serverName, client }: NonNullable<TemporalSettings['tls']>) {
  const certificates = authority?.match(CERTIFICATES) ?? [];
  requireUsable('LOCI_TEMPORAL_TLS_CA cannot be used', () => certificates.map((text) => new X509Certificate(text)));
  requireUsable('LOCI_TEMPORAL_TLS_CERT and LOCI_TEMPORAL_TLS_KEY cannot be used together', () =>
    createSecureContext({ cert: client?.certificate, key: client?.key }),
  );
  return {
    ...(authority === null ? {} : { serverRootCACertificate: Buffer.from(authority) }),
    ...(serverName === null ? {} : { serverNameOverride: serverName }),
    ...(client === null
      ? {}
      : { clientCertPair: { crt: Buffer.from(client.certificate), key: Buffer.from(client.key) } }),
  };
}

/** The SDK would say so with the first call only, and not which setting is wrong. */
function requireUsable(problem: string, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    throw new ConfigError([`${problem}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/**
 * Loads the operator's codec, which encodes arguments, results, summaries and memos before they leave the process: a module whose
 * default export is a `PayloadCodec` of the SDK, or an array of them, applied from the last to the first.
 * @throws ConfigError if the module cannot be loaded or exports something else
 */
export async function loadDataConverter({ codecPath }: TemporalSettings): Promise<DataConverter> {
  if (codecPath === null) return {};
  const module: unknown = await import(pathToFileURL(resolve(codecPath)).href).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`LOCI_TEMPORAL_CODEC: ${codecPath} cannot be loaded: ${reason}`]);
  });
  const exported = typeof module === 'object' && module !== null && 'default' in module ? module.default : null;
  const payloadCodecs: unknown[] = Array.isArray(exported) ? exported : [exported];
  if (payloadCodecs.length > 0 && payloadCodecs.every(isPayloadCodec)) return { payloadCodecs };
  throw new ConfigError([
    `LOCI_TEMPORAL_CODEC: the default export of ${codecPath} is not a codec: export an object with the functions encode and decode`,
  ]);
}

function isPayloadCodec(value: unknown): value is PayloadCodec {
  if (typeof value !== 'object' || value === null) return false;
  return ['encode', 'decode'].every((name) => typeof Reflect.get(value, name) === 'function');
}
