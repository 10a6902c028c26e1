import { isObject } from '@rootward/core/platform';

/** What a request of the modern era says about its sender. */
export function modernMeta(
  protocolVersion: string,
  clientInfo: { readonly name: string; readonly version: string },
  capabilities: { readonly [key: string]: unknown },
): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

/** The keys under which an `input_required` result asks for `method`. */
export function inputRequestsFor(
  result: { readonly [key: string]: unknown },
  method: string,
): readonly string[] {
  const requests = result['inputRequests'];
  if (!isObject(requests)) return [];
  return Object.entries(requests).flatMap(([key, request]) =>
    isObject(request) && request['method'] === method ? [key] : [],
  );
}
