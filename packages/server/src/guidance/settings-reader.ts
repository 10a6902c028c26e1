import type { RulesReading } from '../settings/workspace-rules.js';

/** Where a user's settings of a project are read. */
export interface SettingsReader {
  fileOf(id: string): string;
  read(id: string): RulesReading;
}
