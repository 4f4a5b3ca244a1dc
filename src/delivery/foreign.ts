import type { ReportingError } from '../errors/errors.js';

const FOREIGN = Symbol.for('location-sdk.foreign-answer');

/** Marks the error of an answer that is not the gateway's own, where no printer shows it. */
export const markForeign = (error: ReportingError): void => void Object.defineProperty(error, FOREIGN, { value: true });

/** Whether an error is of an answer that is not the gateway's own, such as a proxy's page; of whichever copy of the package it is. */
export const isForeign = (error: ReportingError): boolean => (error as { [FOREIGN]?: unknown })[FOREIGN] === true;
