/** In the script-tag file the schemas themselves are as quick as that. */
export const accept = () => undefined;
export const acceptInput = (_model: unknown, _mode: unknown, read: unknown) => ({ read });
