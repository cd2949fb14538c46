/** A text of two or three natural sentences, and words that a reader would look it up by, in another form than the text has. */
export type InflectedText = { text: string; asked: readonly string[] };
