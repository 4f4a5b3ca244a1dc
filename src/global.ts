/** The face of the script-tag build: everything that a page may use, as members of the global `LocationSDK`. */
export * from './index.js';
