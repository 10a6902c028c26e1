import { afterAll, afterEach } from 'vitest';
import { cleanUp } from './clean-up.js';

afterEach(() => cleanUp('test'));
afterAll(() => cleanUp('file'));
