/** A browser tells of a body that broke off, or of nothing. */
export { readBody as readWholeBody } from '../body.js';
