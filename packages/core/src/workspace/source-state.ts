import { RootwardError } from '../error.js';
import type { Root, RootList } from '../roots/root.js';
import type { ClientInfo } from '../sources/client-state.js';
import { acceptAnswer, noClientRoots, type ClientPortrait, type ClientRoots } from '../sources/client.js';
import { considerConsent, requireSamePlace, survivingConsents } from '../sources/consent.js';
import { noHandle } from '../sources/handle.js';
import type { SnapshotInput } from '../snapshot/precedence.js';
import { currentSources, type Sources } from '../sources/read-sources.js';
import { noRequest, readRequest, type RequestHints } from '../sources/request.js';
import type { SourceReading } from '../sources/root-source.js';
import type { KeptWorkspace } from './kept-workspace.js';
import { printable } from '../uri/printable.js';

/** A place the user agreed to, as it was asked for and as it was found, and what the client gave before that. */
interface Consent {
  readonly root: Root;
  readonly path: string;
  readonly before: ClientRoots;
}

const NO_CONSENTS: readonly Root[] = Object.freeze([]);

/**
 * What every source has said so far: those that are read once, and those that can change. Slow lookups happen in a
 * `read…` method and count only after the matching `take…`, so they can be dropped in between.
 */
export class SourceState {
  #sources: Sources;
  #declared: boolean;
  #info: ClientInfo | undefined;
  #given: ClientRoots;
  readonly #handle: SourceReading;
  readonly #request: SourceReading;
  #consents: readonly Root[];

  /** `from`: the input of a standalone request. */
  constructor(sources: Sources, from?: SnapshotInput) {
    this.#sources = sources;
    this.#declared = from?.client.declared ?? false;
    this.#info = from?.client.info;
    this.#given = from?.client.given ?? noClientRoots;
    this.#handle = from?.handle ?? noHandle;
    this.#request = from?.request ?? noRequest;
    this.#consents = from?.consents ?? NO_CONSENTS;
  }

  /** The operator switched client roots off. */
  get ignoresClient(): boolean {
    return this.#sources.clientRoots === 'ignore';
  }

  /** How roots that come later are to be read. */
  get reading(): Sources['reading'] {
    return this.#sources.reading;
  }

  /** What all sources say now; `request` is what a single call says. */
  input(
    { state, lost, readyTimeout }: Omit<ClientPortrait, 'info' | 'given' | 'declared'>,
    request: SourceReading = this.#request,
  ): SnapshotInput {
    return {
      sources: this.#sources,
      // Not spread from the argument: each object would get a hidden class of its own, 300 bytes for each session.
      client: {
        state,
        info: this.#info,
        declared: this.#declared,
        given: this.#given,
        readyTimeout,
        lost,
      },
      handle: this.#handle,
      request,
      consents: this.#consents,
    };
  }

  introduce(info: ClientInfo | undefined, declaresRoots: boolean): void {
    this.#info = info;
    this.#declared = declaresRoots && !this.ignoresClient;
  }

  /** Whether the operator named a root that is not there yet. */
  get isIncomplete(): boolean {
    return this.#sources.again !== undefined;
  }

  /** Reads again what the operator named. */
  async refresh(): Promise<void> {
    this.#sources = await currentSources(this.#sources);
  }

  takeAnswer(list: RootList, disputed: boolean): void {
    const before = this.#given;
    this.#given = acceptAnswer(before, list, disputed);
    this.#consents = this.#surviving(this.#consents, before);
  }

  readRequest(hints: RequestHints, signal: AbortSignal | undefined): Promise<SourceReading> {
    return readRequest(hints, { ...this.#sources.reading, ...(signal && { signal }) });
  }

  /** What a consent would add. */
  consider(path: string, signal: AbortSignal | undefined): Promise<Root> {
    return considerConsent(path, this.#sources, signal);
  }

  async readConsent(place: string | Root, signal: AbortSignal | undefined): Promise<Consent> {
    const before = this.#given;
    const path = typeof place === 'string' ? place : place.path;
    const root = await this.consider(path, signal);
    if (typeof place !== 'string') requireSamePlace(place, root);
    return { root, path, before };
  }

  takeConsent({ root, path, before }: Consent): void {
    // The user agreed first, then the client took it away: the later decision counts.
    if (this.#surviving([root], before).length === 0) {
      throw new RootwardError(
        'not-permitted',
        `Cannot add "${printable(path)}": the client took it away meanwhile`,
        { path },
      );
    }
    const isKnown = this.#consents.some((consent) => consent.path === root.path);
    if (!isKnown) this.#consents = [...this.#consents, root];
  }

  keep(): Pick<KeptWorkspace, 'roots' | 'hasGiven' | 'disputed' | 'consents'> {
    const { roots, rejected, hasGiven, disputed } = this.#given;
    const given = [
      ...roots.map(({ uri, name }) => ({ uri, name })),
      ...rejected.map(({ declared }) => ({ uri: declared })),
    ];
    return {
      ...(given.length > 0 && { roots: given }),
      ...(hasGiven && { hasGiven }),
      ...(disputed && { disputed }),
      ...(this.#consents.length > 0 && { consents: this.#consents.map(({ path }) => path) }),
    };
  }

  /** Records whether the client gave roots before the answer that is taken next. */
  assume(hasGiven: boolean): void {
    this.#given = { ...this.#given, hasGiven: this.#given.hasGiven || hasGiven };
  }

  /** Places the user agreed to. */
  get consents(): readonly Root[] {
    return this.#consents;
  }

  replaceConsents(consents: readonly Root[]): void {
    this.#consents = consents;
  }

  /** The consents that survive what the client said since `before`. */
  #surviving(consents: readonly Root[], before: ClientRoots): readonly Root[] {
    const given = this.#given;
    if (given === before || (given.roots.length === 0 && !given.revoked)) return consents;
    return survivingConsents(consents, before.roots, given.roots, this.#sources.reading.style);
  }
}
