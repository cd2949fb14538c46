/** One content or some, everything of an upload, or everything of a run. */
export type RunTarget =
  { contentId: string } | { contentIds: readonly string[] } | { uploadId: string } | { runId: string };

/** Condition on `content_collections cc`; wants what `bindTarget` gives. */
export const IN_TARGET = `(cc.content_id = any(:contentIds::uuid[]) or cc.upload_id = :uploadId or cc.run_id = :runId)`;

export function bindTarget(target: RunTarget) {
  const contentIds = 'contentId' in target ? [target.contentId] : null;
  return { contentIds, uploadId: null, runId: null, ...target };
}
