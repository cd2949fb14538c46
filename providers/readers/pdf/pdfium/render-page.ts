/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';

/** 200 dpi, at which Tesseract performs best. */
const DOTS_PER_POINT = 200 / 72;
const MAX_PIXELS = 20_000_000;
const WHITE = 0xffffffff;
const SHOW_ANNOTATIONS = 1;

/** Renders a page as a gray image (portable graymap); null when it cannot be rendered. */
export function renderPage(pdfium: Pdfium, document: number, index: number): Uint8Array | null {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return null;
  try {
    const [pageWidth, pageHeight] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)];
    const scale = Math.min(DOTS_PER_POINT, Math.sqrt(MAX_PIXELS / Math.max(1, pageWidth * pageHeight)));
    const [width, height] = [Math.floor(pageWidth * scale), Math.floor(pageHeight * scale)];
    if (width < 1 || height < 1 || width * height > MAX_PIXELS) return null;
    const bitmap = pdfium._FPDFBitmap_Create(width, height, 0);
    if (bitmap === 0) return null;
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, SHOW_ANNOTATIONS);
    const [start, stride] = [pdfium._FPDFBitmap_GetBuffer(bitmap), pdfium._FPDFBitmap_GetStride(bitmap)];
    const image = toGray(pdfium.HEAPU8.subarray(start, start + stride * height), { width, height, stride });
    pdfium._FPDFBitmap_Destroy(bitmap);
    return image;
  } finally {
    pdfium._FPDF_ClosePage(page);
  }
}

/** Converts from blue, green, red and an unused byte per pixel, with the weights of ITU-R BT.601. */
function toGray(
  pixels: Uint8Array,
  { width, height, stride }: { width: number; height: number; stride: number },
): Uint8Array {
  const header = Buffer.from(`P5 ${width} ${height} 255\n`);
  const image = Buffer.alloc(header.length + width * height);
  header.copy(image);
  let out = header.length;
  for (let y = 0; y < height; y += 1) {
    for (let at = y * stride; at < y * stride + width * 4; at += 4) {
      image[out] = ((pixels[at] ?? 0) * 29 + (pixels[at + 1] ?? 0) * 150 + (pixels[at + 2] ?? 0) * 77) >> 8;
      out += 1;
    }
  }
  return image;
}
