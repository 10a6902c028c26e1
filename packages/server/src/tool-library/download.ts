import type { DownloadOptions, DownloadResult } from './fetch-file.js';

/**
 * Fetches a file over HTTPS from a host that the operator allows (`--download-hosts`). Redirects are not followed, and
 * private addresses are refused unless the operator names that very address. Advice only: a program that does not use
 * this can reach what the sandbox lets it reach.
 */
export async function download(options: DownloadOptions): Promise<DownloadResult> {
  const { fetchFile } = await import('./fetch-file.js');
  return fetchFile(options);
}
