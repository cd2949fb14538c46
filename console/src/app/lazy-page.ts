import { lazyRouteComponent } from '@tanstack/react-router';
import { PlainError } from '../components/plain-error.ts';
import { shellTexts } from '../texts/shell-texts.ts';
import { fetchConsole } from './fetch-console.ts';

type LoadedFile = Awaited<ReturnType<Parameters<typeof lazyRouteComponent>[0]>>;

/**
 * A page that is loaded when it is opened. If the console was built anew meanwhile, its old files are gone, and the tab is loaded
 * anew. If the service cannot be reached, the page says so: loading anew would leave nothing to come back to.
 */
export function lazyPage<Module extends LoadedFile, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent<Module, Name>(() => load().catch(explainFailure), name);
}

async function explainFailure(): Promise<never> {
  const [html, entry] = [await fetchConsole(), document.querySelector('script[src]')?.getAttribute('src')];
  if (html !== null && entry != null && !html.includes(entry)) {
    location.reload();
    return new Promise(() => undefined);
  }
  throw new PlainError(shellTexts.pageNotLoaded);
}
