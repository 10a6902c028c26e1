import * as fc from 'fast-check';

/** One seed for all property tests, so that what they say depends on the change and not on luck. `npm run soak` draws another. */
fc.configureGlobal({ seed: Number(process.env['ROOTWARD_PROPERTY_SEED'] ?? 1) });
