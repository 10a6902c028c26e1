import { createHash } from 'node:crypto';
import { RootwardError } from '@rootward/core';
import { pageOf, type Page } from '@rootward/core/platform';
import * as z from 'zod';

/** The argument of a tool whose results come in pages. A result that has more says what to pass. */
export function cursorArgument(): z.ZodOptional<z.ZodString> {
  return z.string().optional();
}

export function nextCursorField(): z.ZodOptional<z.ZodString> {
  return z.string().optional();
}

interface PagedArguments {
  readonly cursor?: string | undefined;
  readonly [name: string]: unknown;
}

const MARK_LENGTH = 8;

/**
 * The cursors of one call: a position, and a mark of the tool and all it was asked. In another call a position would
 * leave out results that nobody has seen, so the mark has to fit. It is no secret: who makes one up gains nothing.
 */
export class Cursors {
  /** What the page before gave to `at`; undefined on the first page. */
  readonly position: string | undefined;
  readonly #tool: string;
  readonly #arguments: PagedArguments;
  #made: string | undefined;

  constructor(tool: string, given: PagedArguments) {
    this.#tool = tool;
    this.#arguments = given;
    const { cursor } = given;
    if (cursor === undefined) return;
    const mark = this.#mark;
    if (!cursor.endsWith(mark)) throw this.#error('it is not from a page of this call');
    this.position = cursor.slice(0, -mark.length);
  }

  /** Made when it is wanted: most results fit on one page. */
  get #mark(): string {
    const { cursor: _cursor, workspace: _handle, ...others } = this.#arguments;
    // What is switched off may just as well be left out.
    const asked = Object.entries(others).filter(([, value]) => value !== false);
    this.#made ??= `.${createHash('sha256')
      .update(JSON.stringify([this.#tool, Object.fromEntries(asked)]))
      .digest('hex')
      .slice(0, MARK_LENGTH)}`;
    return this.#made;
  }

  /** How many items came before this page. Between pages the disk may change; nothing is kept. */
  get start(): number {
    if (this.position === undefined) return 0;
    if (!/^\d{1,15}$/.test(this.position)) throw this.#error('it is not from a page of this call');
    return Number(this.position);
  }

  at(position: number | string): string {
    return `${position}${this.#mark}`;
  }

  /** A page whose cursor is a position, such as a library gives, with one of this call. */
  mark<Found extends { readonly nextCursor?: string }>(page: Found): Found {
    return page.nextCursor === undefined ? page : { ...page, nextCursor: this.at(page.nextCursor) };
  }

  /** The page of a list that this call is about. */
  page<Item>(items: readonly Item[], size: number): Page<Item> {
    const { start } = this;
    return pageOf(items, { start, size, cursorAt: (end) => this.at(end), gone: () => this.gone() });
  }

  /** There was something at the position of every cursor when it was given out. */
  gone(): RootwardError {
    return this.#error('what came next is no longer there');
  }

  #error(state: string): RootwardError {
    return new RootwardError(
      'invalid-option',
      `Cannot continue at cursor ${JSON.stringify(this.#arguments.cursor)}: ${state}`,
      { instruction: INSTRUCTION },
    );
  }
}

const INSTRUCTION =
  'Pass nextCursor of the page before, with the same other arguments, or leave it out to start over';

/** What a text form says where more follows. */
export function continuation(nextCursor: string | undefined): string {
  return nextCursor === undefined ? '' : `\n[more follows: pass cursor "${nextCursor}"]`;
}
