import type { Guarantee } from '../level.js';
import type { PlannedPath, SandboxPlan } from './plan.js';

/** As many as people will read; a workspace may have thousands of denied files. */
const MAX_LISTED = 20;

/** A plan in sentences, one per line. */
export function explainPlan(plan: SandboxPlan, guarantee?: Guarantee): readonly string[] {
  const writable = plan.paths.filter(({ access }) => access === 'write');
  const readable = plan.paths.filter(({ access }) => access === 'read');
  const lines = [
    `Level ${plan.level}${guarantee === undefined ? '' : `, guarantee ${guarantee}`}`,
    plan.readsEverything
      ? 'May read everything except credentials'
      : `May read: ${listed(readable.map(described))}`,
    writable.length === 0
      ? 'May write only to its private temporary folder and home directory'
      : `May write: ${listed(writable.map(described))}; and its private temporary folder`,
  ];
  const hidden = plan.hidden.filter(({ why }) => why === 'rule').map(({ path }) => path);
  if (hidden.length > 0) lines.push(`May not read, although inside a root: ${listed(hidden)}`);
  const kept = [...plan.fixed, ...plan.locked];
  if (kept.length > 0) lines.push(`May not change, although inside a root: ${listed(kept)}`);
  lines.push(plan.network ? 'May use the network' : 'May not use the network');
  return lines;
}

function described({ path, why }: PlannedPath): string {
  return `${path} (${why})`;
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  return more <= 0 ? texts.join(', ') : `${texts.slice(0, MAX_LISTED).join(', ')} and ${more} more`;
}
