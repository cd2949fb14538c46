import test from 'ava';
import { z } from 'zod';
import { KNOWN_PERMISSIONS } from '#domain/access/caller.ts';
import { CreateApiKeyRequest } from '#domain/records/api-key.ts';
import { readDocument, section, tableRows } from './markdown.ts';

const page = readDocument('docs/api.md');
const { paths } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), z.looseObject({ 'x-loci-permission': z.string().optional() }))),
  })
  .parse(JSON.parse(readDocument('openapi.json')));

test('docs/api.md lists every permission, with the operations that need it', (t) => {
  const needed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      permission: operation['x-loci-permission'],
      operation: `\`${method.toUpperCase()} ${path.replace('/api/v1', '')}\``,
    })),
  );
  const rows = tableRows(section(page, '### Permissions')).slice(1);
  const listed = rows.map(([names = '', operations]) => [names.replaceAll('`', ''), operations]);
  const expected = KNOWN_PERMISSIONS.filter((name) => name.includes(':') && name !== 'connections:reveal').map(
    (name) => {
      const operations = needed.filter(({ permission }) => permission === name).map(({ operation }) => operation);
      return [name, operations.length === 0 ? 'no operation' : operations.join(', ')];
    },
  );
  t.deepEqual(listed, expected);
  for (const name of ['`*`', '`connections:reveal`']) t.true(section(page, '### Permissions').includes(name), name);
});

test('a request with an unknown permission is told the names of all, which the OpenAPI document lists too', (t) => {
  const { error } = CreateApiKeyRequest.safeParse({ permissions: ['collection:read'] });
  const message = error?.issues[0]?.message ?? '';
  for (const name of KNOWN_PERMISSIONS) {
    for (const word of name === 'connections:reveal' ? [name] : name.split(':')) t.true(message.includes(word), name);
  }
  const { components } = z
    .object({ components: z.object({ schemas: z.object({ Permission: z.object({ enum: z.array(z.string()) }) }) }) })
    .parse(JSON.parse(readDocument('openapi.json')));
  t.deepEqual(components.schemas.Permission.enum, [...KNOWN_PERMISSIONS]);
});
