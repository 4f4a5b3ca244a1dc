export const OPERATIONS: Readonly<Record<string, string>> = {
  reportBetEvent: 'Bet initiated',
  reportSettledBet: 'Bet settled',
  reportWithdrawalEvent: 'Withdrawal initiated',
  reportSettledWithdrawal: 'Withdrawal settled',
};

export const operationWords = (operation: string): string =>
  Object.hasOwn(OPERATIONS, operation) ? (OPERATIONS[operation] ?? operation) : operation;

export const grouped = (count: number): string => count.toLocaleString('en');

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** How many of those that were selected. */
export const partOf = (part: number, all: number): string =>
  part === all ? counted(all, 'report') : `${grouped(part)} of ${counted(all, 'report')}`;

export const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
