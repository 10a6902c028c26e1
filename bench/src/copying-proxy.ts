/**
 * The least that a program between a client and a server can do: copies bytes both ways, and looks at none. What it costs is
 * what two processes cost, and no wrapped server can be faster in Node. It starts the server in a session of its own, as
 * `rootward wrap` has to, so that nothing the server starts outlives it. Linux shares out its cores among sessions first: on a
 * machine with other work, calls took 1.1 to 1.4 times as long as without that.
 */
import { spawn } from 'node:child_process';

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on('exit', () => process.exit());
process.once('SIGTERM', () => child.kill());
