import test from 'ava';
import { deriveUploadState } from '#operations/uploads/derive-upload-state.ts';

test('contents that are being deleted are no open work of an upload', (t) => {
  const upload = { failed_uploads: 0 };
  t.like(deriveUploadState(upload, { byStatus: { ready: 5, deleting: 1 }, chunks: 5 }, []), {
    status: 'completed',
    progress: { total: 5, settled: 5, percent: 100 },
  });
  t.like(deriveUploadState(upload, { byStatus: { deleting: 1 }, chunks: 0 }, []), {
    status: 'completed',
    progress: { total: 0, settled: 0, percent: 100 },
  });
  t.like(deriveUploadState(upload, { byStatus: { indexing: 1, deleting: 1 }, chunks: 0 }, []), {
    status: 'running',
    progress: { total: 1, settled: 0, percent: 0 },
  });
});
