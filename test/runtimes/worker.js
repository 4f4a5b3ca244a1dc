// The program that `workerd test` runs.
import { tryInstalled } from './installed.js';

export default { test: tryInstalled };
