/** Pages have WebCrypto alone. */
export const nativeCrypto = undefined;
