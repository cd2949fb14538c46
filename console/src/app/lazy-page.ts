import { type ComponentType, createElement } from 'react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { LatePage } from './late-page.tsx';

type LoadedFile = Awaited<ReturnType<Parameters<typeof lazyRouteComponent>[0]>>;

/**
 * A page whose code is loaded when it is opened, or when a link to it is pointed at: a failure is of interest only once it is
 * opened.
 */
export function lazyPage<Module extends LoadedFile, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loadPage = async (): Promise<ComponentType> => (await load())[name];
  const late = { [name]: () => createElement(LatePage, { load: loadPage }) };
  // Pages take no properties, so that the other one stands in for it.
  return lazyRouteComponent<Module, Name>(() => load().catch(() => late as Module), name);
}
