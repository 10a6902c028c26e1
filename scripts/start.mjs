// Serves the folder `npm start` was called from. A script, since shells differ in how they spell a variable.
process.argv.splice(2, 0, '--root', process.env.INIT_CWD ?? process.cwd(), '--http');
await import('../packages/server/dist/rootward.cjs');
