import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ASSUMPTIONS, createFindings } from '../../../src/cli/check/assumptions.js';
import { root } from '../../support/run.js';

const rows = readFileSync(join(root, 'docs/background/assumptions.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

describe('the assumptions that a run tests', () => {
  it.each(Object.entries(ASSUMPTIONS))(
    '%s is a row of docs/background/assumptions.md, with its option',
    (_, { gap, ...assumption }) => {
      const row = rows.find(([first]) => first === gap);
      expect(row).toBeDefined();
      if ('option' in assumption) expect(row?.join(' ')).toContain(assumption.option);
    },
  );

  it('are not seen before a finding, and keep a difference even if other answers agree', () => {
    const findings = createFindings();
    const of = (id: string) => findings.list().find((one) => one.id === id);
    expect(of('duplicate')).toMatchObject({ verdict: 'not seen', seen: '' });
    findings.note('duplicate', 'confirmed', 'HTTP 409');
    findings.note('duplicate', 'confirmed', 'HTTP 409');
    expect(of('duplicate')).toMatchObject({ verdict: 'confirmed', seen: 'HTTP 409' });
    findings.note('duplicate', 'differs', 'HTTP 403');
    findings.note('duplicate', 'confirmed', 'HTTP 409');
    expect(of('duplicate')).toMatchObject({ verdict: 'differs', seen: 'HTTP 403' });
  });
});
