import type { ExecutableTool } from '../../exec/catalogue/executable-tool.js';
import { ToolChoice } from '../framework/tool-choice.js';

export interface ExecutableChoice {
  /** Those chosen by name. Default: all there are. */
  readonly choice?: ToolChoice;
  /** Only tools that say they change nothing. Nothing makes them keep their word. */
  readonly readOnly?: boolean;
}

/** Those of them that a server offers. */
export function wantedExecutables(
  tools: readonly ExecutableTool[],
  { choice = new ToolChoice(), readOnly }: ExecutableChoice,
): readonly ExecutableTool[] {
  return tools.filter(
    ({ metadata }) =>
      choice.allows(metadata.name) && (readOnly !== true || metadata.annotations.readOnlyHint === true),
  );
}
