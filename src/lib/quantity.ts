const factors: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A Kubernetes quantity such as `250m` or `1.5Gi` as a number; good for comparing, not for adding up. */
export function quantityValue(quantity: string): number {
  const suffix = /[A-Za-z]*$/.exec(quantity)?.[0] ?? "";
  return Number.parseFloat(quantity) * (factors[suffix] ?? 1);
}
