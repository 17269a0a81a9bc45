import { Counter, Histogram, type Registry } from "prom-client";

interface Description {
  name: string;
  help: string;
}

/** Functions that define metrics with labels on a registry. */
export function metricsOn(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string>(labelNames: Label[], description: Description) =>
      new Counter<Label>({ ...description, labelNames, registers }),
    /** With a series for each value of the label at 0: Prometheus sees no increase when a series first appears. */
    counterFromZero: <Label extends string>(label: Label, values: readonly string[], description: Description) => {
      const counter = new Counter<string>({ ...description, labelNames: [label], registers });
      for (const value of values) counter.inc({ [label]: value }, 0);
      return counter as Counter<Label>;
    },
    histogram: <Label extends string>(labelNames: Label[], buckets: number[], description: Description) =>
      new Histogram<Label>({ ...description, labelNames, buckets, registers }),
  };
}
