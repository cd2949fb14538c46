import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

/** What is used of tesseract.js-core: Tesseract compiled to WebAssembly, without the worker thread that its wrapper needs. */
type TesseractCore = {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => TesseractApi;
};
type TesseractApi = {
  Init(path: null, languages: string, engine: number): number;
  SetVariable(name: string, value: string): void;
  /** `orientation` as in EXIF. 1 when the picture cannot be decoded. */
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
/** Where Tesseract's wrapper looks for it. */
const IMAGE_PATH = '/input';
/** EXIF's orientations: upright, then turned by 90, 180 and 270 degrees. */
const ORIENTATIONS = [1, 6, 3, 8];
/** Upright text is recognised with more than this; another orientation is tried below. */
const SUFFICIENT_CONFIDENCE = 70;
/** Less is noise of a picture without text. */
const MIN_CONFIDENCE = 55;

let loading: Promise<{ core: TesseractCore; api: TesseractApi }> | null = null;

/**
 * Recognises the text of a picture (PNG, JPEG, TIFF, WebP, BMP, PNM), turned by any quarter. Empty text when it seems to
 * hold none; null when it cannot be decoded. Reads packaged language data, nothing else.
 */
export async function recognizeText(picture: Uint8Array): Promise<Recognition | null> {
  loading ??= load();
  const { core, api } = await loading;
  try {
    core.FS.writeFile(IMAGE_PATH, picture);
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
    // After a trap inside WebAssembly its memory cannot be trusted.
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
