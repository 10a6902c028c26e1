import { isObject } from '@rootward/core/platform';
import { MODERN_REVISION, SERVER_INFO_KEY } from '../wire/envelope.js';
import type { RawMessage } from '../wire/raw-message.js';

/** The result of `server/discover`, from what a server answered to its introduction. */
export function discoveryOf(introduced: RawMessage | undefined): object {
  const { capabilities = {}, serverInfo, instructions } = resultOf(introduced);
  return {
    supportedVersions: [MODERN_REVISION],
    capabilities,
    ...(typeof instructions === 'string' && { instructions }),
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [SERVER_INFO_KEY]: serverInfo },
  };
}

export function resultOf(answer: RawMessage | undefined): Readonly<Record<string, unknown>> {
  const result: unknown = answer?.value('result');
  return isObject(result) ? result : {};
}
