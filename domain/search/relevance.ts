/** Similarities of an embedder: of texts that have nothing to do with each other, and of questions with their answers. */
export type Calibration = { unrelated: number; related: number; weights: Weights };

type Weights = { similarity: number; coverage: number; bias: number };

/**
 * Logistic regression on the ten best hits of Cranfield and CACM: those judged relevant, against those that the queries of the
 * other set and nonsense find. `similarity` is that of the vectors, where 0 is unrelated and 1 related; `coverage` the part of the
 * words of the query that the hit has. Fitted for all-MiniLM-L6-v2; other models have other similarities, which calibration
 * makes comparable.
 */
const SEMANTIC: Weights = { similarity: 11.77, coverage: 8.2, bias: -9.41 };
/** The same for vectors of hashed words, which are similar only if words are equal. */
const HASHED_WORDS: Calibration = {
  unrelated: 0.003,
  related: 0.094,
  weights: { similarity: 3.55, coverage: 6.21, bias: -8.87 },
};
/** Without vectors: a hit with 45 % of the words counts as relevant as not. */
const WORDS_ONLY: Weights = { similarity: 0, coverage: 10, bias: -4.5 };
/** Models that tell related texts from unrelated ones less clearly cannot be calibrated. */
const MIN_CONTRAST = 0.02;

type Vectors = readonly Float32Array[];

/** Calibrates an embedder by the vectors of questions and of the passage that answers each. Null if it cannot tell them apart. */
export function calibrate(
  provider: string,
  { questions, passages }: { questions: Vectors; passages: Vectors },
): Calibration | null {
  if (provider === 'lexical') return HASHED_WORDS;
  const related = questions.map((question, index) => similarityOf(question, passages[index] ?? []));
  const unrelated = questions.flatMap((question, index) =>
    passages.filter((_, other) => other !== index).map((passage) => similarityOf(question, passage)),
  );
  const calibration = { unrelated: mean(unrelated), related: mean(related), weights: SEMANTIC };
  return calibration.related - calibration.unrelated < MIN_CONTRAST ? null : calibration;
}

/**
 * Returns the estimated probability that a hit is about what the query asks. `similarity`: null when vectors are not compared.
 * `coverage`: null when the query has no words.
 */
export function relevanceOf(
  { similarity, coverage }: { similarity: number | null; coverage: number | null },
  calibration: Calibration | null,
): number {
  if (similarity === null || calibration === null) return logistic(WORDS_ONLY, 0, coverage ?? 0);
  const { unrelated, related, weights } = calibration;
  return logistic(weights, (similarity - unrelated) / (related - unrelated), coverage ?? 0);
}

/** Returns the cosine similarity of two unit vectors. */
export function similarityOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

function logistic(weights: Weights, similarity: number, coverage: number): number {
  return 1 / (1 + Math.exp(-(weights.similarity * similarity + weights.coverage * coverage + weights.bias)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}
