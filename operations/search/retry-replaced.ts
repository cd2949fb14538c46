const MAX_ATTEMPTS = 3;

/**
 * Runs a search again when contents were replaced or deleted while it ran, so that it finds their new versions. Contents that are
 * replaced faster than they are read are missing from the last attempt.
 *
 * @param attempt calls `onReplaced` when a hit that was verified is no longer published.
 */
export async function retryReplaced<Result>(attempt: (onReplaced: () => void) => Promise<Result>): Promise<Result> {
  for (let number = 1; ; number += 1) {
    let wasReplaced = false;
    const result = await attempt(() => (wasReplaced = true));
    if (!wasReplaced || number === MAX_ATTEMPTS) return result;
  }
}
