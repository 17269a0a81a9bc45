import { type Bound, type Costs, type Demand, firstBound, predict, type Prediction } from "./model.ts";

/** A page's table of what the model says: a column for each demand, a row for each figure. */
export function predictionTable(costs: Costs, demands: readonly Demand[]): string[] {
  const predictions = demands.map((demand) => predict(costs, demand));
  const row = (name: string, of: (prediction: Prediction) => string): string =>
    `| ${name} | ${predictions.map(of).join(" | ")} |`;
  return [
    row("Runs a second", ({ runsPerSecond }) => shown(runsPerSecond)),
    row("writes a second at the API server, Events among them", ({ writesPerSecond }) => shown(writesPerSecond)),
    row("CPUs of the API server", ({ apiServerCpus }) => shown(apiServerCpus)),
    row("CPUs of the controller", ({ controllerCpus }) => shown(controllerCpus)),
    row("CPUs of ingresses", ({ ingressCpus }) => shown(ingressCpus)),
    row("CPUs of gateways, with the archive", ({ gatewayCpus }) => shown(gatewayCpus)),
    row("memory of the controller", ({ controllerBytes }) => sized(controllerBytes)),
    row("memory of gateways, beside what each has without work", ({ gatewayBytes }) => sized(gatewayBytes)),
    row("etcd", ({ etcdBytes }) => sized(etcdBytes)),
    row("blob store, a day of events", ({ blobBytesEachDay }) => sized(blobBytesEachDay)),
    row("archive, a day", ({ archiveBytesEachDay }) => sized(archiveBytesEachDay)),
  ];
}

/** A row for each bound: how much of it is taken by each demand; 1 = all. */
export function boundTable(bounds: readonly Bound[], costs: Costs, demands: readonly Demand[]): string[] {
  const predictions = demands.map((demand) => ({ demand, prediction: predict(costs, demand) }));
  return bounds.map(({ name, of, most, knob }) => {
    const shares = predictions.map(({ demand, prediction }) => shown(of(prediction, demand) / most));
    return `| ${name} | ${shares.join(" | ")} | ${knob} |`;
  });
}

/** The row that says which bound each demand meets first, and how much of it is taken. */
export function firstRow(bounds: readonly Bound[], costs: Costs, demands: readonly Demand[]): string {
  const first = demands.map((demand) => {
    const { bound, share } = firstBound(bounds, predict(costs, demand), demand);
    return `${bound.name}, ${shown(share)}`;
  });
  return `| **fullest** | ${first.join(" | ")} | |`;
}

/** Two significant digits, from 10 on whole numbers, with commas. */
function shown(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(2)));
}

function sized(bytes: number): string {
  return bytes >= 2 ** 30 ? `${shown(bytes / 2 ** 30)} GiB` : `${shown(bytes / 2 ** 20)} MiB`;
}
