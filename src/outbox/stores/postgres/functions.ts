import { append } from './append-function.js';
import { bindFunctions } from './bind-functions.js';
import { claim } from './claim-function.js';
import { stepFunction } from './console/step-function.js';
import { add, enqueue } from './enqueue-functions.js';
import { outlook } from './outlook-function.js';
import { turn } from './turn-function.js';
import { write, writeWithRequestId } from './write-function.js';

/** The functions of the first migration. */
export const functions = (schema: string): string => [bindFunctions, write, outlook, append].map((one) => one(schema)).join('');

/**
 * The functions that add, claim and change rows. They replace those of older tables, in which a new row was due at the time of its clock.
 * Older instances may go on calling them, since their arguments and results are the same.
 */
export const queueFunctions = (schema: string): string => [add, enqueue, claim, turn, writeWithRequestId, stepFunction].map((one) => one(schema)).join('');
