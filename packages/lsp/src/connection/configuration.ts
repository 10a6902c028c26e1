/** The settings of a section such as `python.analysis`, looked up part by part; null where nothing is set. */
export function sectionOf(settings: Readonly<Record<string, unknown>>, section: string | undefined): unknown {
  if (section === undefined || section === '') return settings;
  let value: unknown = settings;
  for (const part of section.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null;
    value = Object.entries(value).find(([name]) => name === part)?.[1];
  }
  return value ?? null;
}
