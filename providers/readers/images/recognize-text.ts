import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

/**
 * The part of tesseract.js-core in use: Tesseract compiled to WebAssembly, without the worker thread of tesseract.js.
 */
type TesseractCore = {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => TesseractApi;
};
type TesseractApi = {
  Init(path: null, languages: string, engine: number): number;
  SetVariable(name: string, value: string): void;
  /** `orientation` as in EXIF. Returns 1 when the image cannot be decoded. */
  SetImageFile(orientation: number, angle: number): number;
  Recognize(monitor: null): number;
  MeanTextConf(): number;
  GetUTF8Text(): string;
  Clear(): void;
};

export type Recognition = {
  text: string;
  /** Mean over the words, 0 to 100. */
  confidence: number;
};

const LANGUAGE = 'eng';
const LSTM_ENGINE = 1;
/** The path where tesseract.js expects the image. */
const IMAGE_PATH = '/input';
/** EXIF orientations: upright, then rotated by 90, 180 and 270 degrees. */
const ORIENTATIONS = [1, 6, 3, 8];
/** Upright text reaches a higher confidence; below it other orientations are tried. */
const SUFFICIENT_CONFIDENCE = 70;
/** A lower confidence is noise of an image without text. */
const MIN_CONFIDENCE = 55;

let loading: Promise<{ core: TesseractCore; api: TesseractApi }> | null = null;

/**
 * Recognizes the text of an image (PNG, JPEG, TIFF, WebP, BMP, PNM) in any of four orientations. Empty text when the
 * image seems to have none; null when it cannot be decoded. Reads nothing but packaged language data.
 */
export async function recognizeText(image: Uint8Array): Promise<Recognition | null> {
  loading ??= load();
  const { core, api } = await loading;
  try {
    core.FS.writeFile(IMAGE_PATH, image);
    let best: Recognition = { text: '', confidence: 0 };
    for (const orientation of ORIENTATIONS) {
      if (api.SetImageFile(orientation, 0) !== 0) return null;
      api.Recognize(null);
      const found = { text: api.GetUTF8Text().trim(), confidence: api.MeanTextConf() };
      if (found.text !== '' && found.confidence > best.confidence) best = found;
      if (best.confidence >= SUFFICIENT_CONFIDENCE || (orientation === 1 && found.text === '')) break;
    }
    core.FS.unlink(IMAGE_PATH);
    api.Clear();
    return best.confidence >= MIN_CONFIDENCE ? best : { text: '', confidence: best.confidence };
  } catch (error) {
    // After a trap inside WebAssembly its memory is not trustworthy.
    loading = null;
    throw error;
  }
}

async function load(): Promise<{ core: TesseractCore; api: TesseractApi }> {
  const require = createRequire(import.meta.url);
  const data = await readFile(
    require.resolve(`@tesseract.js-data/${LANGUAGE}/4.0.0_best_int/${LANGUAGE}.traineddata.gz`),
  );
  // The package has no types.
  const create = require('tesseract.js-core/tesseract-core-simd-lstm.js') as (
    options: Record<string, () => void>,
  ) => Promise<TesseractCore>;
  const silent = (): void => undefined;
  const core = await create({ TesseractProgress: silent, print: silent, printErr: silent });
  core.FS.writeFile(`${LANGUAGE}.traineddata`, gunzipSync(data));
  const api = new core.TessBaseAPI();
  if (api.Init(null, LANGUAGE, LSTM_ENGINE) !== 0) throw new Error('Tesseract does not start');
  return { core, api };
}
