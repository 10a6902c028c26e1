import type { Logger } from '@rootward/core';
import type { ChildRegistry, WorkspaceContext } from '@rootward/mcp';
import type { ProjectSessions } from '../../guidance/project-sessions.js';
import type { Era } from '../../era.js';
import type { PatternTurns } from '../../search/pattern-turns.js';
import type { SeenFiles } from '../../edit/seen-files.js';
import type { ChangeQueue } from './change-queue.js';
import type { LanguageSupport } from '../../languages/language-support.js';

/** Whether a path was let through. */
export type AuditDecision = 'allowed' | 'refused';

export interface AuditEntry {
  readonly tool: string;
  /** Who called, over HTTP: see `callerNames`. */
  readonly principal?: readonly string[] | undefined;
  /** As the caller wrote it. */
  readonly path: string;
  readonly decision: AuditDecision;
  /** The code of the refusal, or `cancelled` for a call that was not finished. */
  readonly reason?: string | undefined;
}

/** `unsupported`: the client cannot ask its user. */
export type Consent = 'accepted' | 'declined' | 'cancelled' | 'unsupported';

export interface Question {
  /** Tells this question from others, so that an answer is never taken for the answer to another one. */
  readonly key: string;
  readonly message: string;
  /** The canonical path it is about. */
  readonly path: string;
}

/** What a tool works with. */
export interface ToolContext {
  readonly workspace: WorkspaceContext;
  readonly signal: AbortSignal;
  readonly era: Era;
  readonly log: Logger;
  /** Children that must not outlive the process. */
  readonly children: ChildRegistry;
  /** The settings and guidance of the project, for tools that need one. */
  readonly projects: ProjectSessions;
  /** Language servers, for tools that understand code. */
  readonly languages: LanguageSupport;
  /** Executables that run right now, and in what sandbox. */
  readonly executables: () => readonly { readonly tool: string; readonly sandbox: string }[];
  /** On whose behalf the call is made; empty without authentication. */
  readonly principal: string;
  /** For tools that match patterns of callers. */
  readonly patternTurns: PatternTurns;
  /** The files that the session saw, for tools that read or replace them; undefined where nobody asks. */
  readonly seen: SeenFiles | undefined;
  /** For tools that change files: two changes of the same file must not mix. */
  readonly changes: ChangeQueue;
  /** Written for every path of a call, unless the tool has said so itself. Never holds contents. */
  audit(path: string, decision: AuditDecision, reason?: string): void;
  /** Tells the client, where it wants to know, what a call waits for. */
  progress(message: string): void;
  /** Makes `~` and `~/x` a path. */
  expandHome(path: string): string;
  /** Whether edits tell new problems where the call does not say. */
  readonly diagnostics: boolean;
  /** Whether the operator lets nothing be changed. */
  readonly readOnly: boolean;
  /** Whether the client can ask its user. */
  readonly canElicit: boolean;
  /**
   * Asks the user yes or no, on both eras. Where an answer has to be fetched first, it ends the handler, which then
   * runs again from its start: ask before changing anything.
   */
  elicit(question: Question): Promise<Consent>;
}
