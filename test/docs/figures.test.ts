import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES, proseOf, repository } from './pages.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const KIB = 1024;
const MIB = 1024 * KIB;

/** What a guide says, and the constant that decides it: page, words, file below packages/, name, value. */
const LIMITS: readonly (readonly [string, string, string, string, number])[] = [
  ['after-roots', 'valid for ten minutes', 'mcp/src/context/handle-codec', 'TTL_MS', 10 * MINUTE],
  ['after-roots', 'more than 4 KB', 'mcp/src/context/handle-codec', 'MAX_HANDLE_LENGTH', 4 * KIB],
  ['agents', 'for ten minutes', 'mcp/src/context/handle-codec', 'TTL_MS', 10 * MINUTE],
  ['command-line', 'longer than a second', 'server/src/cli/output/status-line', 'SHOW_AFTER_MS', SECOND],
  ['executable-tools', 'ten minutes in all', 'server/src/exec/run/tool-runner', 'extendedMs', 10 * MINUTE],
  [
    'executable-tools',
    'over 64 KiB is put into a file',
    'server/src/exec/run/tool-environment',
    'MAX_VARIABLE_BYTES',
    64 * KIB,
  ],
  ['executable-tools', 'more than 10 MiB', 'server/src/exec/run/tool-runner', 'maxOutputBytes', 10 * MIB],
  [
    'executable-tools',
    'no redirects, at most 60 s',
    'server/src/tool-library/fetch-file',
    'MAX_TIMEOUT_SECS',
    60,
  ],
  [
    'executable-tools',
    'of the project of at most 64 KiB',
    'server/src/exec/project/icons',
    'MAX_BYTES',
    64 * KIB,
  ],
  [
    'executable-tools',
    'at most 50 MB and',
    'server/src/tool-library/fetch-git',
    'MAX_REPOSITORY_BYTES',
    50 * MIB,
  ],
  [
    'executable-tools',
    '30 s, without passwords',
    'server/src/tool-library/fetch-git',
    'TIMEOUT_MS',
    30 * SECOND,
  ],
  ['executable-tools', 'the first ten lines', 'server/src/exec/catalogue/script-header', 'HEADER_LINES', 10],
  ['executable-tools', 'ten minutes at most', 'server/src/tools/exec/asking-runs', 'ANSWER_MS', 10 * MINUTE],
  ['executable-tools', 'SIGKILL a second later', 'server/src/exec/run/group-end', 'GRACE_MS', SECOND],
  ['executable-tools', 'At most 16 tools', 'server/src/exec/run/tool-runner', 'atOnce', 16],
  ['history', 'for ten seconds at most', 'mcp/src/lifecycle/process-guard', 'DRAIN_MS', 10 * SECOND],
  ['history', 'within the last two seconds', 'core/src/history/take-survey', 'COARSE_MS', 2 * SECOND],
  ['history', 'at most 2 seconds and 50,000 entries', 'core/src/history/take-survey', 'maxMs', 2 * SECOND],
  ['history', 'at most 2 seconds and 50,000 entries', 'core/src/history/take-survey', 'maxFiles', 50_000],
  ['history', 'at most 64 MiB of new', 'core/src/history/take-survey', 'maxBytes', 64 * MIB],
  ['history', '1 GiB; the oldest', 'core/src/history/journal/limits', 'maxBytes', 1024 * MIB],
  ['history', '| 30 days |', 'core/src/history/journal/limits', 'maxAgeMs', 30 * DAY],
  ['history', '50 MiB; a larger one', 'core/src/history/journal/limits', 'maxFileBytes', 50 * MIB],
  ['http', 'may have 64 KB', 'mcp/src/sdk-v2/http/opening-request', 'MAX_OPENING_BYTES', 64 * KIB],
  ['scaling', 'up to 2 MB', 'mcp/src/sdk-v2/http/session-record', 'MAX_BYTES', 2 * MIB],
  ['scaling', 'more than 2 MB', 'mcp/src/sdk-v2/http/session-record', 'MAX_BYTES', 2 * MIB],
  [
    'scaling',
    'once more a second later',
    'mcp/src/sdk-v2/http/sharing/change-notes',
    'SAME_CHANGE_MS',
    SECOND,
  ],
  ['http', 'up to 10 MiB, announced', 'server/src/serve/http/guarded-server', 'MAX_BODY_BYTES', 10 * MIB],
  ['http', 'for at most 5 s, so that', 'mcp/src/lifecycle/end-after-request', 'LINGER_MS', 5 * SECOND],
  [
    'http',
    'without requests is closed after 5 s',
    'server/src/serve/http/guarded-server',
    'KEEP_ALIVE_MS',
    5 * SECOND,
  ],
  [
    'http',
    'Headers must arrive within 5 s',
    'server/src/serve/http/guarded-server',
    'HEADERS_TIMEOUT_MS',
    5 * SECOND,
  ],
  [
    'http',
    'a whole request within 60 s',
    'server/src/serve/http/guarded-server',
    'REQUEST_TIMEOUT_MS',
    MINUTE,
  ],
  ['http', 'have 128 places', 'server/src/serve/http/connection-guard', 'MAX_STRANGERS', 128],
  ['http', 'at most 10,000 connections', 'server/src/serve/http/max-connections', 'MAX_CONNECTIONS', 10_000],
  ['http', 'half of the files', 'server/src/serve/http/max-connections', 'FILES_PER_CONNECTION', 2],
  ['http', 'at most 1,000 elsewhere', 'server/src/serve/http/max-connections', 'CAUTIOUS_CONNECTIONS', 1000],
  ['http', 'up to 512 may wait so', 'server/src/serve/http/connection-guard', 'MAX_CHECKED', 512],
  ['http', 'up to 512 for a quarter', 'server/src/serve/http/connection-guard', 'MAX_NEW', 512],
  ['http', 'a quarter of a second', 'server/src/serve/http/connection-guard', 'HEARING_MS', SECOND / 4],
  ['http', 'After a minute without', 'server/src/serve/serve-http', 'PARK_MS', MINUTE],
  ['http', 'at least 16 characters', 'server/src/settings/values/read-values', 'MIN_TOKEN_LENGTH', 16],
  ['http', 'kept for 10 minutes', 'server/src/serve/oauth/issuer-keys', 'KEYS_KEPT_MS', 10 * MINUTE],
  ['http', 'at most every 5 s', 'server/src/serve/oauth/issuer-keys', 'KEYS_PAUSE_MS', 5 * SECOND],
  ['http', 'are used for an hour', 'server/src/serve/oauth/issuer-keys', 'OUTAGE_MS', 60 * MINUTE],
  ['http', 'open stream for 30 minutes', 'mcp/src/sdk-v2/http/sessions-options', 'IDLE_MS', 30 * MINUTE],
  ['http', 'Beyond 10,000 sessions', 'mcp/src/sdk-v2/http/sessions-options', 'MAX_SESSIONS', 10_000],
  ['http', 'valid for 10 minutes', 'mcp/src/context/handle-codec', 'TTL_MS', 10 * MINUTE],
  ['http', '(32 bytes or more)', 'mcp/src/context/handle-codec', 'MIN_KEY_BYTES', 32],
  ['http', 'finish, for at most 10 s', 'mcp/src/lifecycle/process-guard', 'DRAIN_MS', 10 * SECOND],
  ['language-servers', 'starting for 15 seconds', 'lsp/src/pool/limits', 'startWait', 15 * SECOND],
  ['language-servers', 'waits two seconds for that', 'lsp/src/pool/limits', 'takeOverWait', 2 * SECOND],
  ['language-servers', 'cut after 4,000 characters', 'lsp/src/filter/conceal-paths', 'MAX_TEXT_CHARS', 4000],
  ['language-servers', 'a name after 200', 'lsp/src/filter/conceal-paths', 'MAX_NAME_CHARS', 200],
  ['language-servers', 'for at most ten seconds', 'lsp/src/pool/limits', 'settleTimeout', 10 * SECOND],
  ['language-servers', 'larger than 1 MB, not', 'lsp/src/documents/files-mentioning', 'MAX_BYTES', MIB],
  ['language-servers', 'ten times as long', 'lsp/src/documents/watched-files', 'REST_FACTOR', 10],
  ['language-servers', 'Above 20,000 files', 'lsp/src/documents/watched-files', 'MAX_FILES', 20_000],
  ['language-servers', 'after ten minutes without', 'lsp/src/pool/limits', 'idleTimeout', 10 * MINUTE],
  [
    'language-servers',
    'at most 200 of a file',
    'lsp/src/questions/edits/renamed-files',
    'MAX_LINES_PER_FILE',
    200,
  ],
  ['language-servers', '1,000 in all are shown', 'lsp/src/questions/edits/renamed-files', 'MAX_LINES', 1000],
  [
    'language-servers',
    'wait at most two seconds',
    'lsp/src/questions/new-problems',
    'MAX_WAIT_MS',
    2 * SECOND,
  ],
  ['language-servers', 'when ten minutes have passed', 'lsp/src/pool/limits', 'idleTimeout', 10 * MINUTE],
  ['language-servers', 'answer within 30 seconds', 'lsp/src/pool/limits', 'requestTimeout', 30 * SECOND],
  ['language-servers', 'At most eight run', 'lsp/src/pool/limits', 'maxServers', 8],
  [
    'language-servers',
    'shown to it, at most 200,',
    'lsp/src/questions/asking/every-use',
    'MAX_LEFT_OUT',
    200,
  ],
  ['language-servers', 'at most 60 (500', 'lsp/src/questions/asking/show-files', 'MAX_SHOWN', 60],
  ['language-servers', 'at most 60 (500', 'lsp/src/questions/asking/show-files', 'MAX_SHOWN_IN_ORDER', 500],
  ['language-servers', 'above 32 MB', 'lsp/src/connection/message-limit', 'MAX_MESSAGE_BYTES', 32 * MIB],
  ['migration', 'Up to 100 at once', 'server/src/tools/exec/register-project', 'MAX_VALUES', 100],
  ['migration', 'Whole files up to 8 MB', 'server/src/answer-size', 'MAX_TEXT_BYTES', 8 * MIB],
  ['migration', 'above 64 KiB', 'server/src/exec/run/tool-environment', 'MAX_VARIABLE_BYTES', 64 * KIB],
  ['page', 'for at most a minute', 'server/src/watch/waiting-questions', 'MAX_WAIT_MS', MINUTE],
  ['page', 'the last 10,000 of each', 'server/src/watch/report-to-page', 'MAX_EVENTS', 10_000],
  ['projects', 'more than 200 documents', 'server/src/guidance/skill', 'MAX_DIGESTED', 200],
  ['projects', '4 MB is served without', 'server/src/guidance/skill', 'MAX_DIGESTED_BYTES', 4_000_000],
  ['projects', 'more than 1 MB', 'server/src/guidance/skill', 'MAX_DOCUMENT_BYTES', 1_000_000],
  ['projects', 'larger than 64 KB', 'core/src/scope/gate/rules-file', 'MAX_BYTES', 64 * KIB],
  ['roots', 'at least 100 ms apart', 'core/src/workspace/limits', 'spacing', 100],
  ['roots', 'once 100 times the duration', 'core/src/workspace/asking/asking-state', 'FRESH_FACTOR', 100],
  ['roots', 'at least 250 ms', 'core/src/workspace/asking/asking-state', 'MIN_FRESH_MS', 250],
  ['roots', 'at most 5 minutes)', 'core/src/workspace/limits', 'freshFor', 5 * MINUTE],
  ['roots', 'again after 5 minutes', 'core/src/workspace/limits', 'askSilentAfter', 5 * MINUTE],
  ['roots', 'at most 2 s for an answer', 'core/src/workspace/limits', 'readyTimeout', 2 * SECOND],
  ['roots', 'within 60 s still counts', 'core/src/workspace/limits', 'answerTimeout', MINUTE],
  ['roots', 'within the first second', 'core/src/workspace/limits', 'retryWithin', SECOND],
  ['roots', 'once, after 250 ms', 'core/src/workspace/limits', 'retryAfter', 250],
  ['scaling', 'may be 10,000 sessions', 'mcp/src/sdk-v2/http/sessions-options', 'MAX_SESSIONS', 10_000],
  ['scaling', '30 minutes after its last', 'mcp/src/sdk-v2/http/sessions-options', 'IDLE_MS', 30 * MINUTE],
  ['scaling', 'a minute after the answer', 'mcp/src/sdk-v2/http/sharing/log-lines', 'ANSWERED_MS', MINUTE],
  ['scaling', 'handles 15 minutes', 'mcp/src/store/revocations', 'handle', 15 * MINUTE],
  ['scaling', 'A handle ends after ten minutes', 'mcp/src/context/handle-codec', 'TTL_MS', 10 * MINUTE],
  ['scaling', 'looks every 500 ms', 'mcp/src/store/revocations', 'LOOK_MS', 500],
  ['scaling', 'asked every second', 'mcp/src/store/redis-link', 'BEAT_MS', SECOND],
  ['scaling', 'given up after 2 s', 'mcp/src/store/redis-link', 'ANSWER_MS', 2 * SECOND],
  ['scaling', 'the last 10,000 of a stream', 'mcp/src/store/redis-store', 'MAX_LINES', 10_000],
  ['scaling', 'finish, for at most 10 s', 'mcp/src/lifecycle/process-guard', 'DRAIN_MS', 10 * SECOND],
  [
    'scaling',
    'about 6 s after the instance',
    'mcp/src/sdk-v2/http/sharing/signs-of-life',
    'DEAD_MS',
    6 * SECOND,
  ],
  ['scaling', 'for another 5 s', 'mcp/src/sdk-v2/http/sharing/signs-of-life', 'SETTLING_MS', 5 * SECOND],
  ['scaling', 'or after 5 s and one', 'mcp/src/sdk-v2/http/sharing/wake-queue', 'WAIT_MS', 5 * SECOND],
  ['scaling', 'it has 10,000 places', 'server/src/serve/http/max-connections', 'MAX_CONNECTIONS', 10_000],
  ['security', 'more than 64 KB', 'core/src/scope/gate/rules-file', 'MAX_BYTES', 64 * KIB],
  ['security', '30 days at most', 'core/src/history/journal/limits', 'maxAgeMs', 30 * DAY],
  ['security', 'gets 20 ms at a time', 'server/src/search/pattern-search', 'QUICK_MS', 20],
  ['security', '1 s for one piece', 'server/src/search/pattern-search', 'PIECE_MS', SECOND],
  ['security', '5 s for the call', 'server/src/search/pattern-search', 'BUDGET_MS', 5 * SECOND],
  ['security', 'Two such searches', 'server/src/search/pattern-turns', 'MAX_PER_PRINCIPAL', 2],
  ['security', 'eight in all', 'server/src/search/pattern-turns', 'MAX_IN_ALL', 8],
  ['security', 'searched up to 1 GiB', 'server/src/search/read-in-chunks', 'MAX_FILE_BYTES', 1024 * MIB],
  ['security', 'at most 1 MiB and', 'core/src/scope/operations/ignore-rules', 'MAX_IGNORE_BYTES', MIB],
  [
    'security',
    'more than four stars in a name',
    'core/src/scope/operations/ignore-rules',
    'MAX_STARS_PER_NAME',
    4,
  ],
  ['security', '2,000 lines count', 'core/src/scope/operations/ignore-rules', 'MAX_IGNORE_LINES', 2000],
  ['server-authors', '100 times what it took', 'core/src/workspace/asking/asking-state', 'FRESH_FACTOR', 100],
  ['http', 'more than 500 sessions are idle', 'server/src/serve/serve-http', 'MAX_RESTING', 500],
  ['http', 'do so after a second', 'mcp/src/sdk-v2/http/sort-sessions', 'CROWDED_PARK_MS', SECOND],
  ['server-authors', 'for at most two seconds', 'core/src/workspace/limits', 'readyTimeout', 2 * SECOND],
  ['server-authors', 'beyond 10,000', 'mcp/src/sdk-v2/http/sessions-options', 'MAX_SESSIONS', 10_000],
  [
    'server-authors',
    'not ended after ten seconds',
    'core/src/workspace/limits',
    'followerTimeout',
    10 * SECOND,
  ],
  ['server-authors', 'valid for ten minutes', 'mcp/src/context/handle-codec', 'TTL_MS', 10 * MINUTE],
  ['server-authors', 'at least 32 bytes', 'mcp/src/context/handle-codec', 'MIN_KEY_BYTES', 32],
  ['server-authors', 'larger than 4 KB', 'mcp/src/context/handle-codec', 'MAX_HANDLE_LENGTH', 4 * KIB],
  ['server-authors', 'and has 300 ms', 'mcp/src/lifecycle/process-guard', 'HOOKS_MS', 300],
  ['server-authors', 'A line over 10 MB', 'mcp/src/stdio/transport', 'MAX_LINE_BYTES', 10 * MIB],
  ['troubleshooting', 'More than 10,000 roots', 'core/src/roots/read-roots', 'MAX_ROOTS', 10_000],
  ['troubleshooting', 'takes two seconds', 'core/src/workspace/limits', 'readyTimeout', 2 * SECOND],
  ['troubleshooting', 'at most 2 s, once', 'core/src/workspace/limits', 'readyTimeout', 2 * SECOND],
  ['wrap', 'finish, for 10 s', 'wrap/src/inner/keeper', 'DRAIN_MS', 10 * SECOND],
  ['wrap', 'finish, for at most 10 s', 'mcp/src/lifecycle/process-guard', 'DRAIN_MS', 10 * SECOND],
  ['wrap', 'of at most 1 MiB together', 'wrap/src/http/legacy-client', 'MAX_KEPT_BYTES', MIB],
  ['wrap', 'at most 100 for each entry', 'server/src/wrapped/open-wrapped', 'MAX_SERVERS', 100],
  ['wrap', 'uses for five minutes', 'wrap/src/session/side-servers', 'IDLE_MS', 5 * MINUTE],
  ['wrap', 'At most eight', 'wrap/src/session/side-servers', 'MAX_SIDES', 8],
  ['wrap', 'within ten minutes', 'wrap/src/modern/front', 'RETURN_MS', 10 * MINUTE],
  ['wrap', 'nothing within 5 s', 'wrap/src/inner/era-bridge', 'DISCOVER_MS', 5 * SECOND],
  ['wrap', 'introduced 5 s late', 'wrap/src/inner/era-bridge', 'DISCOVER_MS', 5 * SECOND],
  ['wrap', 'of which 16 MiB wait', 'wrap/src/http/exchange', 'MAX_UNREAD_BYTES', 16 * MIB],
  ['wrap', 'after five minutes without', 'wrap/src/http/modern-clients', 'IDLE_MS', 5 * MINUTE],
  ['wrap', 'open stream for 30 minutes', 'wrap/src/http/wrap-endpoint', 'IDLE_MS', 30 * MINUTE],
  ['wrap', 'Beyond 100 sessions', 'wrap/src/http/wrap-endpoint', 'MAX_SESSIONS', 100],
  ['wrap', 'beyond 100 servers', 'wrap/src/http/modern-clients', 'MAX_SERVERS', 100],
  ['wrap', 'at least two less', 'wrap/src/inner/make-room', 'MIN_LEAD', 2],
  ['wrap', 'may have 64 MiB', 'wrap/src/inner/inner-process', 'MAX_MESSAGE_BYTES', 64 * MIB],
  ['wrap', 'of the client 10 MiB', 'wrap/src/stdio/client-stream', 'MAX_LINE_BYTES', 10 * MIB],
  ['wrap', 'may have 1 GiB', 'wrap/src/inner/inner-process', 'MAX_PASSED_BYTES', 1024 * MIB],
];

/** Figures that no constant decides, and what does. */
const OTHERS: readonly (readonly [string, string, string])[] = [
  ['language-servers', 'takes some milliseconds', 'an order of magnitude'],
  ['language-servers', 'a few seconds in a very large folder', 'an order of magnitude'],
  ['language-servers', '1, 10 and 120 seconds', 'packages/lsp/test/pool/restart-policy.test.ts'],
  ['language-servers', '700 MB in all', 'scripts/measurements/measure-languages.mjs'],
  ['sandbox', 'up to 20 ms', 'bench/RESULTS.md'],
  ['sandbox', 'up to 5 ms', 'bench/RESULTS.md'],
  ['scaling', 'for an answer of 1 KB', 'test/server/http/sharing.test.ts'],
  ['scaling', '**Store memory**: sessions × 0.6 KB', 'test/server/http/sharing.test.ts'],
  ['scaling', '(4 KB + size of an answer)', 'test/server/http/sharing.test.ts'],
  [
    'scaling',
    '10,000 sessions with 100 requests a second of 1 KB: 6 MB + 30 MB.',
    'calculated from the line before it',
  ],
  ['scaling', '2,000 requests a second: 0.6 GB + 0.6 GB', 'calculated from the line before it'],
  ['server-authors', 'first part: [five lines]', 'a heading'],
  ['wrap', '## In five minutes', 'a heading'],
  ['wrap', 'stays below 150 MB', 'test/wrap/forwarding.test.ts'],
  ['http', 'takes 20 KB of heap', 'bench/src/sections/http-sessions.ts'],
  ['scaling', 'takes 20 KB of heap', 'bench/src/sections/http-sessions.ts'],
  ['scaling', '20 KB of memory each, 45 KB with an open stream', 'bench/src/sections/http-sessions.ts'],
  ['scaling', 'reads of 1 KB a second', 'a size that is read'],
  ['scaling', 'answers of 1 KB, and one instance more', 'an assumption of the table'],
  ['scaling', '| 10,000 | 100 | 36 MB |', 'calculated from the lines before it'],
  ['scaling', '| 100,000 | 1,000 | 360 MB |', 'calculated from the lines before it'],
  ['scaling', '| 1,000,000 | 10,000 | 3.6 GB |', 'calculated from the lines before it'],
  ['scaling', 'half a millisecond of processor time', 'bench/src/sections/http.ts'],
  ['scaling', '15 MB of heap over stdio', 'test/server/life/soak.test.ts'],
  ['scaling', 'for 1.5 ms of processor time', 'scripts/measurements/resume-streams.mjs'],
  ['scaling', 'up to 3 MB', 'test/server/life/soak.test.ts'],
  ['comparison', 'after three seconds', 'scripts/measurements/compare-servers.mjs'],
  ['comparison', '2 to 4 % of 3,000 reads', 'scripts/measurements/race-reads.mjs'],
  ['security', 'does so 50,000 times', 'scripts/soak.mjs'],
  ['security', '2 to 4 % of 3,000 reads', 'scripts/measurements/race-reads.mjs'],
  ['migration', 'up to 128 characters long', 'packages/server/test/exec/catalogue/tool-metadata.test.ts'],
];

/** Pages with nothing but tables made from the code. */
const GENERATED: ReadonlySet<string> = new Set(['api', 'options']);

const textOf = new Map(
  PAGES.map((page) => [
    page.name.replaceAll('\\', '/').replace(/^docs\/(.*)\.md$/, '$1'),
    proseOf(page).replaceAll(/\s+/g, ' '),
  ]),
);

/** The value of a constant or member, where it is made of numbers and of other constants of the file. */
function valueOf(source: string, name: string): number {
  const [, expression = ''] =
    new RegExp(`\\b${name}(?:: \\w+)? ?[=:] ([^;,\\n]*\\d[^;,\\n]*|[A-Z_]+)[;,\\n]`).exec(source) ?? [];
  const factors = expression.split('*').map((factor) => factor.trim());
  if (expression === '' || factors.includes(name)) throw new Error(`there is no number called ${name}`);
  return factors
    .map((factor) =>
      /^\d[\d_]*$/.test(factor) ? Number(factor.replaceAll('_', '')) : valueOf(source, factor),
    )
    .reduce((product, factor) => product * factor, 1);
}

describe('A limit that a guide names', () => {
  test.each(LIMITS)('%s: "%s" is that of the code', (page, words, file, name, value) => {
    expect(textOf.get(page)).toContain(words);
    const source = readFileSync(join(repository, 'packages', `${file}.ts`), 'utf8');
    expect(valueOf(source, name)).toBe(value);
  });
});

/** A number with a unit, in words or digits. */
const FIGURE =
  /\b(?:\d[\d,.]*|two|three|five|ten|fifteen|thirty) (?:%|m?s\b|[KMG]i?B\b|bytes|milliseconds|seconds|minutes|hours|days|times|lines|characters|files|sessions|connections|entries|roots)/g;

describe('A figure with a unit has something behind it', () => {
  const guides = [...textOf.keys()].filter((name) => /^[a-z-]+$/.test(name) && !GENERATED.has(name));

  test.each(guides)('%s', (page) => {
    const text = (textOf.get(page) ?? '').replaceAll(/<!-- ([\w-]+):begin -->.*?<!-- \1:end -->/g, '');
    const rows = [...LIMITS, ...OTHERS].filter(([of]) => of === page).map(([, words]) => words);
    const covered = rows.flatMap((words) =>
      [...text.matchAll(new RegExp(words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'g'))].map(
        ({ index }) => [index, index + words.length] as const,
      ),
    );
    const bare = [...text.matchAll(FIGURE)].filter(
      ({ index, 0: { length } }) => !covered.some(([from, to]) => from < index + length && index < to),
    );
    expect(bare.map(({ index }) => text.slice(Math.max(0, index - 60), index + 60))).toEqual([]);
  });

  test.each([
    ['up to 20 ms', 'one start with bubblewrap, over the bare spawn', 20],
    ['up to 5 ms', 'one start with landlock, over the bare spawn', 5],
  ])('sandbox: "%s" by the bench', (_, row, most) => {
    const results = readFileSync(join(repository, 'bench', 'RESULTS.md'), 'utf8');
    const [, measured] = new RegExp(`^\\| ${row} +\\| ([\\d.]+) ms`, 'm').exec(results) ?? [];
    expect(Number(measured)).toBeLessThanOrEqual(most);
  });

  test.each(OTHERS.filter(([, , what]) => what.includes('/')))('%s: "%s" by %s', (page, words, file) => {
    expect(textOf.get(page)).toContain(words);
    expect(existsSync(join(repository, file))).toBe(true);
  });
});
