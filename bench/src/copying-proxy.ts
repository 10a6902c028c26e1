/**
 * The least that a program between a client and a server can do: copies bytes both ways, and looks at none. What it costs is
 * what two processes cost, and no wrapped server can be faster in Node.
 */
import { spawn } from 'node:child_process';

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on('exit', () => process.exit());
process.once('SIGTERM', () => child.kill());
