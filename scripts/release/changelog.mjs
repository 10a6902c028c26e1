const HEADING = '## Unreleased';

/** The changelog with what is unreleased under a version and a date, and how many entries that are. */
export function releaseChangelog(text, version, date) {
  const start = text.indexOf(`${HEADING}\n`);
  if (start < 0) throw new Error(`CHANGELOG.md has no "${HEADING}": add it above the last version`);
  if (text.includes(`\n## ${version} `))
    throw new Error(`CHANGELOG.md has version ${version} already: choose another`);
  const body = start + HEADING.length + 1;
  const next = text.indexOf('\n## ', body);
  const entries = text.slice(body, next < 0 ? undefined : next).match(/^- /gm) ?? [];
  if (entries.length === 0) throw new Error(`CHANGELOG.md has nothing under "${HEADING}": say what changed`);
  return {
    text: `${text.slice(0, body)}\n## ${version} (${date})\n${text.slice(body)}`,
    count: entries.length,
  };
}
