import { run } from "../hack/lib/command.ts";
import type { IngressProcess } from "./ingress.ts";
import { type Measured, readMeasured } from "./measured.ts";
import type { Files } from "./world.ts";

/** What is measured, and with what. */
export interface Bench {
  load: string;
  kubeconfig: string;
  ingress: IngressProcess;
  files: Files;
  seconds: number;
}

/** Raw creates by client-go; with `fixedName` all but the first are answered that the name is taken. */
export function clientGo(bench: Bench, inFlight: number, fixedName = false): Promise<Measured> {
  const { kubeconfig, files } = bench;
  const more = fixedName ? ["-fixed-name"] : [];
  return generate(bench, ["create", "-kubeconfig", kubeconfig, "-object", files.object, ...more], inFlight);
}

/** Raw creates by a bare undici pool. */
export async function nodePool({ kubeconfig, files, seconds }: Bench, inFlight: number): Promise<Measured> {
  const program = `${import.meta.dirname}/node-pool.ts`;
  const text = await run(process.execPath, [program, kubeconfig, files.object, String(inFlight), String(seconds)]);
  return readMeasured("the Node pool", text);
}

export interface Deliveries {
  body: keyof Pick<Files, "matching" | "filtered" | "keyed">;
  targets: keyof Pick<Files, "targets" | "wrongKeys" | "neighbour" | "flooded" | "limited">;
  wantStatus: number;
  wantText: string;
}

/** Deliveries through the product; the CPU is the ingress's. */
export async function deliveries(bench: Bench, kind: Deliveries, inFlight: number): Promise<Measured> {
  const { files, ingress } = bench;
  const want = ["-want-status", String(kind.wantStatus), "-want-text", kind.wantText];
  const before = await ingress.cpuMs();
  const args = ["post", "-targets", files[kind.targets], "-body", files[kind.body], ...want];
  const measured = await generate(bench, args, inFlight);
  const cpuMs = (await ingress.cpuMs()) - before;
  return { ...measured, cpuMs: cpuMs / measured.count };
}

/** What the sender could do at most: it posts to a server of its own that does nothing. */
export function senderCeiling(bench: Bench, inFlight: number): Promise<Measured> {
  return generate(bench, ["ceiling", "-body", bench.files.matching], inFlight);
}

async function generate({ load, seconds }: Bench, args: readonly string[], inFlight: number): Promise<Measured> {
  const text = await run(load, [...args, "-in-flight", String(inFlight), "-seconds", String(seconds)]);
  return readMeasured(args[0] ?? "", text);
}
