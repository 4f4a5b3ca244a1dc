/** What the script-tag file puts on the global object, for the scripts of the example pages. */
declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;
