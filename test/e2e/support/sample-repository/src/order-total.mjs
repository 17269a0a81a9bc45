/** What an order costs, in cents. */
export function orderTotal(lines) {
  return lines.reduce((sum, line) => sum + line.unitCents, 0);
}
