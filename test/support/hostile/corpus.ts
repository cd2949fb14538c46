import { hostilePackages } from './packages.ts';
import { hostilePictures } from './pictures.ts';
import { hostileTexts } from './texts.ts';

export type HostileFile = { name: string; bytes: Buffer };

/**
 * Files made to harm who reads them: bombs, loops, lies, cut off and mislabelled ones. `trap` is the address of a server that
 * nothing may ever ask for anything; many of the files try.
 */
export function hostileCorpus(trap: string): HostileFile[] {
  return [...hostilePackages(trap), ...hostilePictures(trap), ...hostileTexts(trap)];
}
