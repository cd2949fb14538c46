import { posix } from 'node:path';
import { childrenOf, parseXml } from '#providers/readers/shared/xml.ts';
import type { ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

/** By relationship id: the type and the part name of the target. */
export type PackageRelationships = ReadonlyMap<string, { type: string; path: string }>;

/** Reads the relationships of a part of an Office package (ECMA-376, part 2, 9), without those to external targets. */
export async function readPackageRelationships(archive: ZipArchive, part: string): Promise<PackageRelationships> {
  const folder = posix.dirname(part);
  const xml = await archive.text(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  const relations = xml === null ? [] : childrenOf(await parseXml(xml), 'Relationship');
  return new Map(
    relations
      .filter(({ attributes }) => attributes['TargetMode'] !== 'External')
      .map(({ attributes }) => {
        const target = attributes['Target'] ?? '';
        const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
        return [attributes['Id'] ?? '', { type: attributes['Type'] ?? '', path: decodePartName(path) }];
      }),
  );
}

/** Part names are written as URIs, with percent-encoding. */
export function decodePartName(uri: string): string {
  try {
    return decodeURI(uri);
  } catch {
    return uri;
  }
}
