const SCHEME = 'guide://';

/** What a guide URI names. */
export interface GuideReference {
  readonly category: string;
  readonly document: string;
}

export function guideUri({ category, document }: GuideReference): string {
  return SCHEME + [category, ...document.split('/')].map(encodeURIComponent).join('/');
}

/** Undefined for what is no guide URI. The parts are names to look up, never paths to join. */
export function readGuideUri(uri: string): GuideReference | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const slash = uri.indexOf('/', SCHEME.length);
  if (slash < 0) return undefined;
  try {
    const category = decodeURIComponent(uri.slice(SCHEME.length, slash));
    const document = decodeURIComponent(uri.slice(slash + 1));
    return category === '' || document === '' ? undefined : { category, document };
  } catch {
    return undefined;
  }
}
