/** A spreadsheet runs a cell that begins like this as a formula. It may take semicolons or bars for what separates cells, also within quotes. */
const FORMULA = /(^|[,;|])([\s"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** A text for a cell of a CSV file, with no formula in it. */
export const withoutFormula = (text: string): string => text.replace(FORMULA, "$1$2'");
