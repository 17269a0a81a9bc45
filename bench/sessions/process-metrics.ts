/** What a Node process says of its memory, in bytes, and of its CPU since its start, in milliseconds. */
export interface ProcessFigures {
  resident: number;
  heap: number;
  cpuMs: number;
}

/** Reads the default metrics of a Node process on a loopback port. */
export async function readProcess(port: number): Promise<ProcessFigures> {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text());
  const value = (name: string): number => {
    const found = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
    if (found === undefined) throw new Error(`the process does not say its ${name}`);
    return Number(found);
  };
  return {
    resident: value("process_resident_memory_bytes"),
    heap: value("nodejs_heap_size_used_bytes"),
    cpuMs: value("process_cpu_seconds_total") * 1_000,
  };
}
