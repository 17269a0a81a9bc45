/** What a controller process has counted since its start. */
export interface ControllerFigures {
  /** Reconciles that have ended, by controller. */
  reconciles: Readonly<Record<string, number>>;
  /** Creates, updates, patches and deletes that were sent, Events among them. */
  writes: number;
  cpuMs: number;
  residentBytes: number;
  heapBytes: number;
}

/** Reads what the process says at its port for metrics; throws where a figure is missing. */
export function readFigures(text: string): ControllerFigures {
  const reconciles: Record<string, number> = {};
  for (const [labels, count] of samplesOf(text, "runwright_controller_reconcile_duration_seconds_count")) {
    const controller = /(?:^|,)controller="([^"]*)"/.exec(labels)?.[1] ?? "";
    reconciles[controller] = (reconciles[controller] ?? 0) + count;
  }
  return {
    reconciles,
    writes: sum(samplesOf(text, "runwright_controller_api_writes_total").map(([, count]) => count)),
    cpuMs: 1_000 * one(text, "process_cpu_seconds_total"),
    residentBytes: one(text, "process_resident_memory_bytes"),
    heapBytes: one(text, "nodejs_heap_size_used_bytes"),
  };
}

/** Reconciles of all controllers together. */
export function reconcilesOf({ reconciles }: Pick<ControllerFigures, "reconciles">): number {
  return sum(Object.values(reconciles));
}

function samplesOf(text: string, name: string): (readonly [labels: string, value: number])[] {
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)$`, "gm"));
  return [...lines].map(([, labels = "", value]) => [labels, Number(value)] as const);
}

function one(text: string, name: string): number {
  const [first] = samplesOf(text, name);
  if (first === undefined) throw new Error(`the controller does not say its ${name}`);
  return first[1];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
