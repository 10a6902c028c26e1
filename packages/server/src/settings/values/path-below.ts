import { sep } from 'node:path';

const LEADING_DOTS = sep === '/' ? /^(?:\.(?:\/+|$))+/ : /^(?:\.(?:[/\\]+|$))+/;

/**
 * A relative path below a folder, without the `./` it may begin with. Does NOT normalise further: `..` after a link means
 * what the disk says.
 */
export function pathBelow(folder: string, path: string): string {
  const plain = path.replace(LEADING_DOTS, '');
  return plain === '' ? folder : `${folder}${sep}${plain}`;
}
