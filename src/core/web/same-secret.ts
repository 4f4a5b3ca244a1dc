/** Compares secrets: it takes as long for a wrong text as for the right one. */
export function isSameSecret(given: string, right: string): boolean {
  let differing = given.length ^ right.length;
  for (let index = 0; index < right.length; index += 1)
    differing |= (given.charCodeAt(index) || 0) ^ right.charCodeAt(index);
  return differing === 0;
}
