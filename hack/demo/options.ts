import { parseArgs } from "node:util";

const agents = ["sample", "opencode"] as const;
export type DemoAgent = (typeof agents)[number];

/** What a person asked the demo for. */
export interface DemoOptions {
  /** A context of the person's own kubeconfig; without it the machine's local cluster is used. */
  context?: string;
  /** Fires the same webhook against a pool of sandboxes that wait, too. */
  warm: boolean;
  /** Leaves cluster, release and sample up. */
  keep: boolean;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
  /** What works on the sample: its own script, or a real coding agent against a scripted model. */
  agent: DemoAgent;
  /** Images that the cluster of `context` can pull; without them they are built and loaded. */
  operatorImage?: string;
  sandboxImage?: string;
}

export const usage = `npm run demo -- [OPTIONS]
  --context NAME         use this context of your kubeconfig rather than the local cluster
  --operator-image REF   with --context: an operator image that this cluster can pull
  --sandbox-image REF    with --context: a sandbox image that this cluster can pull
  --agent sample|opencode
                         what works: a script of the sample repository (the default), or the coding agent OpenCode with
                         a scripted model behind it; with --sandbox-image that image must have the program opencode
  --warm                 have a sandbox wait in a pool, fire the same webhook again and print both times side by side
  --keep                 leave everything up afterwards
  --output json|text     json: one document on standard output, progress on standard error`;

/** Reads the demo's arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      context: { type: "string" },
      keep: { type: "boolean", default: false },
      warm: { type: "boolean", default: false },
      output: { type: "string", default: "text" },
      agent: { type: "string", default: "sample" },
      "operator-image": { type: "string" },
      "sandbox-image": { type: "string" },
    },
  });
  const { context, keep, warm, output, "operator-image": operatorImage, "sandbox-image": sandboxImage } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  const agent = agents.find((known) => known === values.agent);
  if (agent === undefined) {
    throw new Error(`--agent is ${JSON.stringify(values.agent)}, but it must be ${agents.join(" or ")}`);
  }
  if ((operatorImage === undefined) !== (sandboxImage === undefined)) {
    throw new Error("--operator-image and --sandbox-image go together");
  }
  if (operatorImage !== undefined && context === undefined) {
    throw new Error("--operator-image and --sandbox-image need --context; the local cluster gets what is built here");
  }
  return {
    keep,
    warm,
    json: output === "json",
    agent,
    ...(context === undefined ? {} : { context }),
    ...(operatorImage === undefined || sandboxImage === undefined ? {} : { operatorImage, sandboxImage }),
  };
}
