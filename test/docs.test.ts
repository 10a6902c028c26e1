import { test } from 'vitest';

test.todo('replaced by the documentation tests');
