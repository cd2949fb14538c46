import { useMutation } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

/** Time for the browser to begin saving a file. */
const KEPT_MS = 60_000;

/** Saves the original file of a content: a link could not send the key. The browser keeps large files on disk meanwhile. */
export function useDownload({ id, name }: Pick<Schemas['Content'], 'id' | 'name'>) {
  const { loci } = useSession();
  return useMutation<Blob, Error, void>({
    mutationFn: async () => {
      // The bucket may not permit the origin of this page.
      const params = { path: { content_id: id }, query: { redirect: false } };
      return dataOf(loci.api.GET('/api/v1/contents/{content_id}/file', { params, parseAs: 'blob' }));
    },
    onSuccess: (file) => {
      const url = URL.createObjectURL(file);
      const link = Object.assign(document.createElement('a'), { href: url, download: name.split('/').at(-1) ?? name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
    },
  });
}
