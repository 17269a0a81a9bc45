/** An amount in US dollars: to the cent from a dollar on, below that to a hundredth of a cent; a dash where there is none. */
export function shownUsd(amount: string | null): string {
  if (amount === null) return "–";
  const dollars = Number(amount);
  const digits = dollars >= 1 ? 2 : 4;
  return dollars.toLocaleString("en", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
}
