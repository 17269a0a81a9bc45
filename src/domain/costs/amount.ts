/** Amounts of US dollars are decimal text with up to 6 places; they are added up in millionths, so nothing is rounded. */
const places = 6;
const unit = 10n ** BigInt(places);

/** The sum of amounts such as `0.25`, without needless zeros. */
export function sumOfAmounts(amounts: readonly string[]): string {
  return amountOf(amounts.reduce((sum, amount) => sum + millionthsOf(amount), 0n));
}

/** The greater of two amounts. */
export function greaterAmount(left: string, right: string): string {
  return isAtOrOver(left, right) ? left : right;
}

/** How much more the first amount is than the second, `0` where it is not. */
export function excessOf(amount: string, over: string): string {
  const excess = millionthsOf(amount) - millionthsOf(over);
  return amountOf(excess > 0n ? excess : 0n);
}

/** A number of US dollars as decimal text, rounded to millionths. */
export function amountText(amountUsd: number): string {
  return amountUsd.toFixed(places).replace(/\.?0+$/, "");
}

/** Whether an amount is at or over a limit. */
export function isAtOrOver(amount: string, limit: string): boolean {
  return millionthsOf(amount) >= millionthsOf(limit);
}

/** An amount such as `0.25` in millionths of a dollar. */
export function millionthsOf(amount: string): bigint {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole) * unit + BigInt(fraction.padEnd(places, "0"));
}

/** Millionths of a dollar as an amount such as `0.25`. */
export function amountOf(amount: bigint): string {
  const fraction = String(amount % unit)
    .padStart(places, "0")
    .replace(/0+$/, "");
  return `${String(amount / unit)}${fraction === "" ? "" : `.${fraction}`}`;
}
