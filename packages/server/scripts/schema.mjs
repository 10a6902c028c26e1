// Writes schema/rootward.schema.json from the schema the server checks against. A test keeps the two in step.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configurationJsonSchema } from '../dist/settings/configuration-schema.js';

const file = fileURLToPath(new URL('../schema/rootward.schema.json', import.meta.url));
mkdirSync(fileURLToPath(new URL('../schema/', import.meta.url)), { recursive: true });
writeFileSync(file, `${JSON.stringify(configurationJsonSchema(), undefined, 2)}\n`);
