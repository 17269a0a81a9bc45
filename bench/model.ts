/** What one of each costs. Milliseconds are of one CPU. */
export interface Costs {
  /** From its creation until nothing of it is left but its history. */
  run: {
    writes: number;
    /** Kubernetes Events. */
    events: number;
    controllerCpuMs: number;
    /** Of the API server, with watches of one controller. */
    apiServerCpuMs: number;
    /** Of the ingress, for the delivery. */
    ingressCpuMs: number;
  };
  /** A Run whose agent works, with its Session, Prompt, Pod, Secret and Lease. */
  live: {
    controllerBytes: number;
    gatewayBytes: number;
    etcdBytes: number;
  };
  /** Of a connected sandbox. */
  beat: { everySeconds: number; gatewayCpuMs: number };
  /** What a sandbox says, such as a line of its agent's output. */
  event: { gatewayCpuMs: number; blobBytes: number };
  /** What an Automation keeps by default, without its memory of keys. */
  history: { etcdBytes: number };
  archive: { rowsEachRun: number; cpuMsEachRow: number; bytesEachRun: number };
  /** Of a process with nothing to do. */
  idle: { controllerBytes: number };
}

/** What is asked of an installation. */
export interface Demand {
  /** That work at once, all of the time. */
  sandboxes: number;
  /** That each Run takes. */
  runMinutes: number;
  /** Of each sandbox that works. */
  eventsPerMinute: number;
  /** That have history. */
  automations: number;
}

/** What a component comes to. */
export interface Prediction {
  runsPerSecond: number;
  /** Of the API server, Events among them. */
  writesPerSecond: number;
  /** Of one CPU: the processes' and the API server's. */
  controllerCpus: number;
  apiServerCpus: number;
  ingressCpus: number;
  gatewayCpus: number;
  controllerBytes: number;
  /** All replicas together, but for what each has with nothing to do. */
  gatewayBytes: number;
  etcdBytes: number;
  archiveBytesEachDay: number;
  /** Of sessions' events, in the blob store. */
  blobBytesEachDay: number;
}

export function predict(costs: Costs, { sandboxes, runMinutes, eventsPerMinute, automations }: Demand): Prediction {
  const { run, live, beat, event, history, archive, idle } = costs;
  const runsPerSecond = sandboxes / (60 * runMinutes);
  const rowsPerSecond = runsPerSecond * archive.rowsEachRun;
  const beatsPerSecond = sandboxes / beat.everySeconds;
  const eventsPerSecond = (sandboxes * eventsPerMinute) / 60;
  const cpus = (perSecond: number, ms: number): number => (perSecond * ms) / 1_000;
  return {
    runsPerSecond,
    writesPerSecond: runsPerSecond * (run.writes + run.events),
    controllerCpus: cpus(runsPerSecond, run.controllerCpuMs),
    apiServerCpus: cpus(runsPerSecond, run.apiServerCpuMs),
    ingressCpus: cpus(runsPerSecond, run.ingressCpuMs),
    gatewayCpus:
      cpus(beatsPerSecond, beat.gatewayCpuMs) +
      cpus(eventsPerSecond, event.gatewayCpuMs) +
      cpus(rowsPerSecond, archive.cpuMsEachRow),
    controllerBytes: idle.controllerBytes + sandboxes * live.controllerBytes,
    gatewayBytes: sandboxes * live.gatewayBytes,
    etcdBytes: sandboxes * live.etcdBytes + automations * history.etcdBytes,
    archiveBytesEachDay: 86_400 * runsPerSecond * archive.bytesEachRun,
    blobBytesEachDay: 86_400 * eventsPerSecond * event.blobBytes,
  };
}

/** Something that ends, what it has at most, and what moves it. */
export interface Bound {
  name: string;
  of: (prediction: Prediction, demand: Demand) => number;
  most: number;
  knob: string;
}

/** Which bound is met first: the fullest one, with the share that is taken (1 = full). */
export function firstBound(
  bounds: readonly Bound[],
  prediction: Prediction,
  demand: Demand,
): { bound: Bound; share: number } {
  const shares = bounds.map((bound) => ({ bound, share: bound.of(prediction, demand) / bound.most }));
  const [first] = shares.toSorted((one, other) => other.share - one.share);
  if (!first) throw new Error("without bounds none is met first");
  return first;
}

/** By how much a prediction is off: 0.2 is a fifth too high, -0.2 a fifth too low. */
export function errorOf(predicted: number, measured: number): number {
  return (predicted - measured) / measured;
}
