// Words that no document, comment or message uses, each with what to write instead. A pattern is a regular expression
// without case.

/** @type {readonly (readonly [pattern: string, plain: string])[]} */
export const words = [
  ['whoever', 'the person who'],
  ['whomever', 'the person whom'],
  ['whatever', 'any'],
  ['nobody', 'no one, or name the part'],
  ['somebody', 'a person'],
  ['(?:of|by) (?:yours|ours|theirs)', 'your, our'],
  ['but for', 'except'],
  ['so many', 'that number of'],
  ['such an?', 'this'],
  ['as far as', 'where'],
  ['an? words? on', 'a sentence about'],
  ['(?<!there )\\b(?:is|are|was|were) no (?!longer\\b|more\\b|less\\b)', 'is not '],
  ['knows? nothing of', 'does not have'],
];
