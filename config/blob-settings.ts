import { join, resolve } from 'node:path';
import type { Environment } from './environment.ts';

/** Returns the problems of the settings of the blob store that need one another. */
export function blobSettingProblems(env: Environment): string[] {
  const problems: string[] = [];
  if (env.LOCI_BLOB_STORE === 's3' && !env.LOCI_S3_BUCKET)
    problems.push('LOCI_S3_BUCKET is required when LOCI_BLOB_STORE=s3');
  if (!env.LOCI_S3_ACCESS_KEY_ID !== !env.LOCI_S3_SECRET_ACCESS_KEY)
    problems.push('LOCI_S3_ACCESS_KEY_ID and LOCI_S3_SECRET_ACCESS_KEY go together: set both or neither');
  if (env.LOCI_S3_KMS_KEY_ID && env.LOCI_S3_ENCRYPTION !== 'aws:kms')
    problems.push('LOCI_S3_KMS_KEY_ID needs LOCI_S3_ENCRYPTION=aws:kms');
  return problems;
}

/** Returns where bytes are kept, and where this machine works on them. */
export function blobSettings(env: Environment) {
  const store = env.LOCI_BLOB_STORE;
  const dir = resolve(env.LOCI_BLOB_DIR);
  return {
    store,
    dir,
    /** Up to this size, bytes are in the row of their blob. */
    rowBytes: env.LOCI_BLOB_ROW_BYTES,
    /** By default on the file system of the folder, so that files are moved and linked instead of copied. */
    workDir: env.LOCI_WORK_DIR
      ? resolve(env.LOCI_WORK_DIR)
      : store === 's3'
        ? resolve('.loci/work')
        : join(dir, '.work'),
    /** Null when no bucket is named. */
    s3: env.LOCI_S3_BUCKET
      ? {
          bucket: env.LOCI_S3_BUCKET,
          prefix: env.LOCI_S3_PREFIX,
          region: env.LOCI_S3_REGION ?? null,
          endpoint: env.LOCI_S3_ENDPOINT ?? null,
          pathStyle: env.LOCI_S3_PATH_STYLE,
          /** Null for those of the environment, in the order of the AWS SDK. */
          credentials:
            env.LOCI_S3_ACCESS_KEY_ID && env.LOCI_S3_SECRET_ACCESS_KEY
              ? { accessKeyId: env.LOCI_S3_ACCESS_KEY_ID, secretAccessKey: env.LOCI_S3_SECRET_ACCESS_KEY }
              : null,
          encryption: env.LOCI_S3_ENCRYPTION ?? null,
          kmsKeyId: env.LOCI_S3_KMS_KEY_ID ?? null,
          presignedDownloads: env.LOCI_S3_PRESIGNED_DOWNLOADS,
        }
      : null,
  };
}
