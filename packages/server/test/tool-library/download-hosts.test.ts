import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkHost } from '../../src/tool-library/download-hosts.js';

afterEach(() => vi.unstubAllEnvs());

/** Why a host is refused where the operator, and perhaps the tool, allows these; undefined where it is not. */
function refusal(host: string, operator: string, tool?: readonly string[]): string | undefined {
  vi.stubEnv('MCP_DOWNLOAD_HOSTS', operator);
  try {
    checkHost(new URL(`https://${host}/`).hostname, tool);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('checkHost()', () => {
  test.each([
    ['example.com', '', 'allows no host'],
    ['example.com', 'example.com', 'allowed'],
    ['EXAMPLE.com', 'other.org,example.COM', 'allowed'],
    ['www.example.com', 'example.com', 'allows example.com'],
    ['www.example.com', '.example.com', 'allowed'],
    ['a.b.example.com', '.example.com', 'allowed'],
    ['example.com', '.example.com', 'allows .example.com'],
    ['badexample.com', '.example.com', 'allows .example.com'],
    ['example.com', '*', 'allowed'],
  ])('%s where the operator allows %j: %s', (host, operator, reason) => {
    expect(refusal(host, operator) ?? 'allowed').toContain(reason);
  });

  test.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '169.254.169.254', '2130706433', '[::1]', '[fd00::1]'])(
    'refuses %s, unless the operator names that very address',
    (host) => {
      expect(refusal(host, '*')).toContain('is a private address');
      expect(refusal(host, new URL(`https://${host}/`).hostname)).toBeUndefined();
    },
  );

  test('refuses an address of version 4 that is written as one of version 6', () => {
    for (const host of ['[::ffff:127.0.0.1]', '[::ffff:10.0.0.1]'])
      expect(refusal(host, '*')).toContain('private');
  });

  test('lets the tool narrow what the operator allows, and never widen it', () => {
    expect(refusal('a.example.com', '.example.com', ['a.example.com'])).toBeUndefined();
    expect(refusal('b.example.com', '.example.com', ['a.example.com'])).toContain('this tool does not');
    expect(refusal('other.org', '.example.com', ['other.org', '*'])).toContain('allows .example.com');
  });
});
