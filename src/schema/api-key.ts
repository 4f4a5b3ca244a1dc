/** The problem with a key for a header, without showing the key. The platform's own error would print it. */
export function apiKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return 'must be a string, or a function that returns one';
  if (key === '') return 'is empty';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'contains a space, a line end or another character that a header cannot contain; trim it where it is read';
  return undefined;
}
