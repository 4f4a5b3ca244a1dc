/** What is wrong with a key that is to stand in a header, without showing it. The platform's own error would print it. */
export function apiKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return 'must be a string, or a function that returns one';
  if (key === '') return 'is empty';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'holds a space, a line end or another character that a header cannot hold; trim it where it is read';
  return undefined;
}
