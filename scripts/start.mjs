// Serves the folder `npm start` was called from. A script, since shells differ in how they spell a variable.
const folder = process.env.INIT_CWD ?? process.cwd();
// npm makes it that of this package, which nobody asked for as a root.
process.env.PWD = folder;
process.argv.splice(2, 0, '--root', folder, '--http');
await import('../packages/server/dist/rootward.cjs');
