import { readdirSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/** The number of descriptors that this process has of files in the folder of a file. @param {string} file */
export const descriptorsOf = (file) =>
  readdirSync('/proc/self/fd').filter((descriptor) => targetOf(descriptor).startsWith(dirname(file))).length;

/** @param {string} descriptor */
function targetOf(descriptor) {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // It was the descriptor that reads the folder.
    return '';
  }
}
