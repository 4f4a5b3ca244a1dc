import { append } from './append-function.js';
import { bindFunctions } from './bind-functions.js';
import { claim } from './claim-function.js';
import { add, enqueue } from './enqueue-functions.js';
import { outlook } from './outlook-function.js';
import { turn } from './turn-function.js';
import { write } from './write-function.js';

/** The functions of the store, in the order in which PostgreSQL must create them. */
export const functions = (schema: string): string => [bindFunctions, add, enqueue, write, claim, turn, outlook, append].map((one) => one(schema)).join('');
