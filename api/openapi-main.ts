import { writeFile } from 'node:fs/promises';
import packageJson from '../package.json' with { type: 'json' };
import { createOpenApi } from '#api/http/openapi/openapi.ts';
import { routes } from '#api/routes/index.ts';

/** Writes openapi.json with the default limits; a running service serves the document with its own limits. */
const MIB = 1024 * 1024;
const limits = {
  maxFileBytes: 200 * MIB,
  maxRequestBytes: 1024 * MIB,
  maxRequestItems: 1000,
  maxCrawlPages: 10_000,
  compress: { maxBytes: MIB, maxJobBytes: 8 * MIB, timeoutMs: 60_000, retentionMs: 168 * 3_600_000 },
};
const document = createOpenApi(routes, { version: packageJson.version, limits });
await writeFile(new URL('../openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
