import { posix } from 'node:path';
import { childrenOf, parseXml } from '#providers/readers/shared/xml.ts';
import type { ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

/** By relationship id: the type and the part name of the target. */
export type PackageRelationships = ReadonlyMap<string, { type: string; path: string }>;

/** Reads the relationships of a part of an Office package (ECMA-376, part 2, 9), without those to external targets. */
export async function readPackageRelationships(archive: ZipArchive, part: string): Promise<PackageRelationships> {
  const folder = posix.dirname(part);
  const xml = await archive.text(relationshipsPartOf(part));
  const relations = xml === null ? [] : childrenOf(await parseXml(xml), 'Relationship');
  return new Map(
    relations
      .filter(({ attributes }) => attributes['TargetMode'] !== 'External')
      .map(({ attributes }) => {
        const path = resolveTarget(folder, attributes['Target'] ?? '');
        return [attributes['Id'] ?? '', { type: attributes['Type'] ?? '', path }];
      }),
  );
}

/** The main part of a package, which the package names; `usual` if it names none. */
export async function mainPartOf(archive: ZipArchive, usual: string): Promise<string> {
  return partOfType(await readPackageRelationships(archive, ''), 'officeDocument', usual);
}

/** The part of a type, such as `styles`; the one that the program of Microsoft writes, `usual`, if the relationships name none. */
export function partOfType(relations: PackageRelationships, type: string, usual: string): string {
  return [...relations.values()].find((relation) => relation.type.endsWith(`/${type}`))?.path ?? usual;
}

/** The name of the part with the relationships of a part; of the package for an empty name. */
export function relationshipsPartOf(part: string): string {
  return posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
}

/** The part name that a target means in the relationships of a part of this folder: `../media/a%20b.xml`, `/word/a.xml`. */
export function resolveTarget(folder: string, target: string): string {
  return decodePartName(posix.join(target.startsWith('/') ? '/' : `/${folder}`, target).slice(1));
}

/** Part names are written as URIs, with percent-encoding and sometimes with a fragment: the place within the part. */
export function decodePartName(uri: string): string {
  const name = uri.replace(/#[^]*$/, '');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
