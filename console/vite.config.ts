import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressAssets } from './compress-assets.ts';

/** The libraries of the client's sources, which have no `node_modules` of their own where only the console is built. */
const CLIENT_LIBRARIES = ['eventsource-parser', 'openapi-fetch', 'p-map', 'p-retry'];

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { version: string };

export default defineConfig({
  base: '/console/',
  define: { 'import.meta.env.LOCI_VERSION': JSON.stringify(version) },
  plugins: [react(), compressAssets()],
  resolve: {
    alias: { '@loci/client/browser': join(import.meta.dirname, '..', 'client', 'src', 'browser.ts') },
    dedupe: CLIENT_LIBRARIES,
  },
  // The API writes a nonce of its own into each page.
  html: { cspNonce: 'LOCI_NONCE' },
  build: { target: 'baseline-widely-available', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '/api': 'http://127.0.0.1:8700', '/readyz': 'http://127.0.0.1:8700' } },
});
