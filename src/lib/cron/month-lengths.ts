/** The days on which each month may end, in the months' order. */
export const lastDays: readonly (readonly number[])[] = [
  [31],
  [28, 29],
  ...[[31], [30], [31], [30], [31], [31], [30], [31], [30], [31]],
];

/** The last of them, in a leap year. */
export const longestMonths: readonly number[] = lastDays.map((days) => Math.max(...days));
