import { z } from 'zod';
import { downloadText } from './download-file.ts';
import { StackError } from '#stack/stack-error.ts';

/** A file of a repository, with the checksum that the hub has for it. */
export type HubFile = { path: string; url: string; sizeBytes: number; checksum: Checksum };

/** Of large files the hub has the SHA-256, of others the id of the blob in Git. */
export type Checksum = { algorithm: 'sha256' | 'git-sha1'; value: string };

export type HubRevision = { commit: string; files: readonly HubFile[] };

const HUB = 'https://huggingface.co';

const ModelInfo = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.int().min(0),
      blobId: z.string().regex(/^[0-9a-f]{40}$/),
      lfs: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }).nullish(),
    }),
  ),
});

/** What says where the hub is and who asks: the variables of the hub's own tools. */
export function hubOf({ HF_ENDPOINT: endpoint, HF_TOKEN: token }: NodeJS.ProcessEnv): {
  baseUrl: string;
  headers: Record<string, string>;
} {
  return { baseUrl: (endpoint || HUB).replace(/\/$/, ''), headers: token ? { authorization: `Bearer ${token}` } : {} };
}

/**
 * Returns the files of the newest commit of a repository. The addresses name the commit, so that all files are of the same one.
 * @throws StackError if the hub cannot be reached, does not have the repository, or answers what is not understood
 */
export async function readRevision(environment: NodeJS.ProcessEnv, repository: string): Promise<HubRevision> {
  const { baseUrl, headers } = hubOf(environment);
  const url = `${baseUrl}/api/models/${repository}/revision/main?blobs=true`;
  const { sha: commit, siblings } = parse(await downloadText(url, headers), url);
  const files = siblings.map(({ rfilename: path, size: sizeBytes, blobId, lfs }): HubFile => {
    const checksum: Checksum = lfs
      ? { algorithm: 'sha256', value: lfs.sha256 }
      : { algorithm: 'git-sha1', value: blobId };
    return { path, url: `${baseUrl}/${repository}/resolve/${commit}/${path}`, sizeBytes, checksum };
  });
  return { commit, files };
}

function parse(text: string, url: string): z.infer<typeof ModelInfo> {
  try {
    return ModelInfo.parse(JSON.parse(text));
  } catch (cause) {
    throw new StackError(`${url} does not describe a model with its files and their checksums`, { cause });
  }
}
