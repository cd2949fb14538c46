import test from 'ava';
import { layerOf, readSources } from './source-model.ts';
import { subjectArrows } from './shape.ts';

/** Which subject may import which, in `domain`, `operations`, `store` and `activities`. Every subject may import `access`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  archives: ['blobs', 'collections', 'contents', 'index', 'uploads'],
  collections: ['archives', 'contents', 'crawls', 'index'],
  compression: ['blobs', 'webhooks'],
  connections: ['webhooks'],
  contents: ['archives', 'collections', 'crawls', 'index', 'outbox', 'uploads'],
  conversations: ['memories'],
  crawls: ['blobs', 'contents', 'uploads'],
  index: ['collections', 'contents', 'memories', 'uploads', 'workspaces'],
  memories: ['search'],
  search: ['collections', 'contents'],
  uploads: ['archives', 'blobs', 'collections', 'contents', 'crawls', 'outbox', 'webhooks'],
  workspaces: ['collections', 'contents', 'memories'],
};

test('a subject imports only the subjects that the table allows', (t) => {
  const arrows = new Set(
    readSources()
      .filter(({ path }) => !['test', 'bench'].includes(layerOf(path)))
      .flatMap(subjectArrows),
  );
  const broken = [...arrows].filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' > ');
    return to !== 'access' && !MAY_IMPORT[from]?.includes(to);
  });
  t.deepEqual(broken, []);
});

test('the table allows nothing that is not used', (t) => {
  const arrows = new Set(readSources().flatMap(subjectArrows));
  const unused = Object.entries(MAY_IMPORT).flatMap(([from, targets]) =>
    targets.map((to) => `${from} > ${to}`).filter((arrow) => !arrows.has(arrow)),
  );
  t.deepEqual(unused, []);
});
