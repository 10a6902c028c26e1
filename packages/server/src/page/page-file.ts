import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The page, and what a browser may do with it: run this script, use this style, and speak to where it came from. */
export interface PageFile {
  readonly html: string;
  readonly policy: string;
}

/** Reads the one file the page consists of. */
export function readPageFile(file: string): PageFile {
  const html = readFileSync(file, 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${digestOf(html, 'script')}`,
    `style-src ${digestOf(html, 'style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

function digestOf(html: string, element: 'script' | 'style'): string {
  const text = html.split(`<${element}>`)[1]?.split(`</${element}>`)[0] ?? '';
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
