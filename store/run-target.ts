/** One content, everything of an upload, or everything of a run. */
export type RunTarget = { contentId: string } | { uploadId: string } | { runId: string };

/** Condition on `content_collections cc`; wants what `bindTarget` gives. */
export const IN_TARGET = `(cc.content_id = :contentId or cc.upload_id = :uploadId or cc.run_id = :runId)`;

export function bindTarget(target: RunTarget) {
  return { contentId: null, uploadId: null, runId: null, ...target };
}
