import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { type Pod, pods } from "../../../src/kube/core-resources.ts";
import { until } from "../../support/kube.ts";
import { kubectl, type Workbench } from "../../e2e/support/workbench.ts";

type Labels = Record<string, string>;

/** Pods on the sandbox image that no controller of ours has to do with. */
export class PlainPods {
  readonly #bench: Workbench;
  readonly #image: string;

  constructor(bench: Workbench, image: string) {
    this.#bench = bench;
    this.#image = image;
  }

  /** Starts a pod that accepts connections on port 3000, and gives its address. */
  async serve(namespace: string, name: string, labels: Labels = {}): Promise<string> {
    const program = 'require("node:net").createServer((socket) => socket.end()).listen(3000)';
    await this.#create(namespace, name, program, labels);
    return this.#addressOf(namespace, name);
  }

  /** Starts a pod that connects to an address from its first instant, for as long as said, and then prints how often it got through. */
  async connectAtOnce(
    namespace: string,
    name: string,
    { address, forMs, labels }: { address: string; forMs: number; labels: Labels },
  ): Promise<void> {
    const program = `
      let through = 0;
      const one = () => require("node:net").connect({ host: "${address}", port: 3000 })
        .on("connect", function () { through += 1; this.destroy(); }).on("error", () => undefined);
      const timer = setInterval(one, 20);
      setTimeout(() => { clearInterval(timer); console.log("through: " + through); process.exit(); }, ${forMs});`;
    await this.#create(namespace, name, program, labels);
  }

  /** What a pod has printed when it has ended. */
  async outputOf(namespace: string, name: string): Promise<string> {
    await until(`${name} has ended`, async () => {
      const { status } = await this.#bench.client.get(pods, { namespace, name });
      return status?.phase === "Succeeded";
    });
    return kubectl(this.#bench, ["-n", namespace, "logs", name]);
  }

  /** Runs the probe in a pod, or in one of a Deployment. */
  async probe(namespace: string, target: string, targets: object): Promise<unknown> {
    const text = await readFile(probe, "utf8");
    const program = `globalThis.given = ${JSON.stringify({ targets })};\n${text}`;
    const node = ["node", "--input-type=module", "-"];
    const printed = await kubectl(this.#bench, ["-n", namespace, "exec", "-i", target, "--", ...node], program);
    const { summary } = JSON.parse(printed) as { summary: string };
    return JSON.parse(summary);
  }

  async #create(namespace: string, name: string, program: string, labels: Labels): Promise<void> {
    const container = { name: "node", image: this.#image, command: ["node", "-e", program] };
    const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 0, containers: [container] };
    await this.#bench.client.create<Pod>(pods, { metadata: { namespace, name, labels }, spec });
  }

  async #addressOf(namespace: string, name: string): Promise<string> {
    let address = "";
    await until(`${name} runs`, async () => {
      const { status } = await this.#bench.client.get(pods, { namespace, name });
      address = status?.podIP ?? "";
      return status?.phase === "Running" && address !== "";
    });
    return address;
  }
}

/** The program that tries a table of targets. */
export const probe = join(import.meta.dirname, "..", "programs", "probe.mjs");
