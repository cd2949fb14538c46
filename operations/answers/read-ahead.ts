import type { ChatFinish, ChatPiece } from '#domain/chat-model.ts';

export type ReadAhead = {
  /** What was read and not yet taken, piece by piece. Throws what the source throws. */
  pieces: AsyncGenerator<ChatPiece>;
  /** Settles when the source has ended, whether or not anybody takes its text. */
  ended: Promise<void>;
};

/**
 * Reads a source at its own speed, up to `maxCharacters`, whoever takes its text and how slowly: a source that occupies
 * something is done as soon as it can be. Pieces that nobody has taken yet become one, without
 * what turned out to be reasoning; the last one has no text.
 */
export function readAhead(source: AsyncIterable<ChatPiece>, maxCharacters: number): ReadAhead {
  let text = '';
  let restarts = false;
  let left = maxCharacters;
  let finish: ChatFinish = 'stop';
  let isEnded = false;
  let news = Promise.withResolvers<void>();
  async function read(): Promise<void> {
    try {
      for await (const piece of source) {
        if (piece.restarts === true) {
          [text, left] = ['', maxCharacters];
          restarts = true;
        }
        text += piece.text.slice(0, left);
        left -= Math.min(left, piece.text.length);
        finish = left === 0 ? 'length' : (piece.finish ?? finish);
        news.resolve();
        if (left === 0) return;
      }
    } finally {
      isEnded = true;
      news.resolve();
    }
  }
  async function* pieces(): AsyncGenerator<ChatPiece> {
    for (;;) {
      const piece = { text, finish: null, restarts };
      [text, restarts] = ['', false];
      if (piece.text !== '' || piece.restarts) yield piece;
      else if (isEnded) {
        await ended;
        return yield { text: '', finish };
      } else {
        await news.promise;
        news = Promise.withResolvers<void>();
      }
    }
  }
  const ended = read();
  // Who takes the pieces learns of a failure; nobody may take them any more.
  ended.catch(() => undefined);
  return { pieces: pieces(), ended };
}
