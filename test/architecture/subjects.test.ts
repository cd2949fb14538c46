import test from 'ava';
import { layerOf, readSources, subjectOf } from './source-model.ts';
import { LAYERS_BY_SUBJECT, SHARED_FOLDERS, subjectArrows } from './shape.ts';

/** What the product is about: each is a folder in the layers that deal with it. */
const SUBJECTS = new Set([
  'access',
  'answers',
  'archives',
  'blobs',
  'collections',
  'compression',
  'connections',
  'contents',
  'conversations',
  'crawls',
  'index',
  'memories',
  'outbox',
  'search',
  'uploads',
  'webhooks',
  'workspaces',
]);

/** Which subject may import which, in `domain`, `operations`, `store` and `activities`. Every subject may import `access`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  answers: ['conversations', 'search'],
  archives: ['blobs', 'collections', 'contents', 'index', 'uploads'],
  collections: ['archives', 'contents', 'crawls', 'index'],
  compression: ['blobs', 'webhooks'],
  connections: ['webhooks'],
  contents: ['archives', 'collections', 'crawls', 'index', 'outbox', 'uploads'],
  conversations: ['memories'],
  crawls: ['blobs', 'contents', 'index', 'uploads'],
  index: ['collections', 'contents', 'memories', 'uploads', 'workspaces'],
  memories: ['search'],
  search: ['collections', 'contents'],
  uploads: ['archives', 'blobs', 'collections', 'contents', 'crawls', 'index', 'outbox', 'webhooks'],
  webhooks: ['outbox'],
  workspaces: ['blobs', 'collections', 'contents', 'memories'],
};

const sources = readSources();

test('every folder of these layers is a known subject', (t) => {
  const folders = new Set(
    sources.flatMap(({ path }) => {
      const folder = subjectOf(path);
      return folder !== null && LAYERS_BY_SUBJECT.has(layerOf(path)) ? [`${layerOf(path)}/${folder}`] : [];
    }),
  );
  t.true(folders.size > SUBJECTS.size);
  const unknown = [...folders].filter((path) => {
    const [, folder = ''] = path.split('/');
    return !SUBJECTS.has(folder) && !SHARED_FOLDERS.has(folder);
  });
  t.deepEqual(
    unknown,
    [],
    'move its files to the folder of a subject, or add the folder to SUBJECTS (or to SHARED_FOLDERS of shape.ts)',
  );
});

test('a subject imports only the subjects that the table allows', (t) => {
  const arrows = new Set(
    sources.filter(({ path }) => !['test', 'bench'].includes(layerOf(path))).flatMap(subjectArrows),
  );
  const broken = [...arrows].filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' > ');
    return to !== 'access' && !MAY_IMPORT[from]?.includes(to);
  });
  t.deepEqual(
    broken,
    [],
    'get it through `services`, move the code to the subject it belongs to, or change MAY_IMPORT',
  );
});

test('the table allows nothing that is not used', (t) => {
  const arrows = new Set(sources.flatMap(subjectArrows));
  const unused = Object.entries(MAY_IMPORT).flatMap(([from, targets]) =>
    targets.map((to) => `${from} > ${to}`).filter((arrow) => !arrows.has(arrow)),
  );
  t.deepEqual(unused, [], 'remove it from MAY_IMPORT');
});
