import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The problems of the page as it is with the device's light setting, and with its dark one. */
export async function violationsByScheme(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violationsOf(page)).map((words) => `${colorScheme}: ${words}`));
  }
  return found;
}

/** The problems of a page of a guide, which has neither a heading nor landmarks. */
export async function violationsOfSnippet(page: Page): Promise<string[]> {
  return (await violationsOf(page)).filter((words) => !/^(?:page-has-heading-one|region|landmark-)/.test(words));
}

/** The problems that axe finds, in words. The page needs a context with `bypassCSP`. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    );
  });
}
