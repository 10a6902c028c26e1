import { realpath, readFile, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Icon } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import { lookup } from 'mrmime';
import type { Report } from './read-object.js';

/** Larger ones would make every list of tools slow; icons are a few kilobytes. */
const MAX_BYTES = 64 * 1024;
const ADDRESS = /^(?:data|https?):/i;

/** Where icons are named, and what their paths are relative to. */
interface IconPlace {
  readonly file: string;
  readonly folder: string;
}

/** Reads the icons that a project names. */
export class IconReader {
  /** What was read: part of something that is served. */
  readonly files: Set<string> = new Set();
  readonly #project: string;
  readonly #report: Report;

  constructor(project: string, report: Report) {
    this.#project = project;
    this.#report = report;
  }

  /**
   * The icons of something. A file of the project becomes a `data:` address, since no client can read it. What cannot be
   * shown is reported, and hides nothing else.
   */
  async read(value: unknown, place: IconPlace): Promise<Icon[] | undefined> {
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value))
      return this.#report(place.file, 'icons', 'it must be a list of objects with src');
    const icons: Icon[] = [];
    for (const each of value) {
      const icon = await this.#readOne(each, place);
      if (icon !== undefined) icons.push(icon);
    }
    return icons.length === 0 ? undefined : icons;
  }

  async #readOne(value: unknown, place: IconPlace): Promise<Icon | undefined> {
    const refuse = (message: string): undefined => this.#report(place.file, 'icons', message);
    if (!isObject(value) || typeof value['src'] !== 'string' || value['src'] === '')
      return refuse('each must be an object with src');
    const { src, mimeType, sizes, theme } = value;
    const rest: Pick<Icon, 'sizes' | 'theme'> = {
      ...(Array.isArray(sizes) && sizes.every((size) => typeof size === 'string') && { sizes }),
      ...(theme === 'light' && { theme: 'light' }),
      ...(theme === 'dark' && { theme: 'dark' }),
    };
    if (ADDRESS.test(src)) return { src, ...(typeof mimeType === 'string' && { mimeType }), ...rest };
    const path = resolve(place.folder, src);
    try {
      const canonical = await realpath(path);
      if (!canonical.startsWith(`${this.#project}${sep}`)) return refuse(`${src} leads outside the project`);
      const found = await stat(canonical);
      if (!found.isFile()) return refuse(`${src} is not a file`);
      if (found.size > MAX_BYTES) return refuse(`${src} has more than ${MAX_BYTES} bytes`);
      this.files.add(path);
      const type = typeof mimeType === 'string' ? mimeType : (lookup(src) ?? 'application/octet-stream');
      const bytes = await readFile(canonical);
      return { src: `data:${type};base64,${bytes.toString('base64')}`, mimeType: type, ...rest };
    } catch {
      return refuse(`${path} cannot be read`);
    }
  }
}
