// A rule of textlint: a sentence that is not a question begins with its subject, and not with What, Who, Whoever or
// Where.

const START = /(?:^|(?<=[.!:]["”)]?\s+(?:\*\*)?)|(?<=^\*\*))(?:What|Who|Whoever|Whatever|Where)\b[^.!?]*(\?)?/g;

/** @type {import('@textlint/types').TextlintRuleReporter} */
const sentenceStart = (context) => {
  const { Syntax, RuleError, report, getSource } = context;
  return {
    [Syntax.Paragraph](node) {
      const text = getSource(node);
      for (const { 0: sentence, 1: question, index } of text.matchAll(START)) {
        if (question) continue;
        const [word = ''] = sentence.split(' ');
        report(node, new RuleError(`A sentence begins with “${word}”: begin with its subject`, { index }));
      }
    },
  };
};

export default sentenceStart;
