/** In the script-tag file the schemas themselves are as quick as that. */
export const accept = () => undefined;
export const acceptCopied = accept;
export { copyJson as copyAndAccept } from './copy-json.js';
