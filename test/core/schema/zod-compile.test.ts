/** An application that imports `zod/compile` sets zod's global configuration, which the copy inside this package obeys. */
import 'zod/compile';
import './bad-payloads.test.js';
import './fields.test.js';
import './vectors.test.js';
