import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { sandboxAudience } from "../../../src/api/runtime/pod-contract.ts";
import { Prompt, Session } from "../../../src/api/v1alpha1/index.ts";
import { isSettled } from "../../../src/domain/prompts/prompt-state.ts";
import { release } from "./install.ts";
import { accountName } from "./tenant-objects.ts";
import { kubectl, type Workbench } from "./workbench.ts";

type Sandbox = NonNullable<NonNullable<Session["status"]>["sandbox"]>;

const limitMs = 120_000;
const pollMs = 250;

/** A session whose agent runs each prompt as a program, as something that has taken the agent over would. */
export class Attacker {
  readonly #bench: Workbench;
  readonly #key: { namespace: string; name: string };
  #prompts = 0;

  constructor(bench: Workbench, namespace: string, name: string) {
    this.#bench = bench;
    this.#key = { namespace, name };
  }

  /** Makes the session, of the tenant's class where none is named; its sandbox is started without a prompt. */
  async create(spec: Partial<Session["spec"]> = {}): Promise<void> {
    const command = ["node", "--input-type=module", "-"];
    const agent = { command, protocol: "exec", permissionRequests: "Allow" } as const;
    await this.#bench.client.create(Session, {
      metadata: this.#key,
      spec: {
        target: {},
        idleTimeoutSeconds: 600,
        sandboxClassName: this.#key.namespace,
        serviceAccountName: accountName,
        agent,
        ...spec,
      },
    });
  }

  async session(isSo: (session: Session) => boolean): Promise<Session> {
    return this.#until(() => this.#bench.client.get(Session, this.#key), isSo);
  }

  /** The sandbox, once it waits for prompts. */
  async sandbox(): Promise<{ uid: string; sandbox: Sandbox }> {
    const isReady = ({ status }: Session): boolean => status?.sandbox?.readyTime !== undefined;
    const { metadata, status } = await this.session(isReady);
    if (!status?.sandbox) throw new Error("a ready session has a sandbox");
    return { uid: metadata.uid ?? "", sandbox: status.sandbox };
  }

  /** A token like the one of the sandbox's runtime. */
  async steal({ podName, podUID = "" }: Sandbox): Promise<string> {
    const bound = ["--bound-object-kind", "Pod", "--bound-object-name", podName, "--bound-object-uid", podUID];
    const audience = ["--audience", sandboxAudience(release)];
    const create = ["-n", this.#key.namespace, "create", "token", accountName];
    return (await kubectl(this.#bench, [...create, ...audience, ...bound])).trim();
  }

  /** Asks the kubelet's node to let the pod go, as draining it does. */
  async evict({ podName }: Sandbox): Promise<void> {
    const metadata = { name: podName, namespace: this.#key.namespace };
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata };
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${podName}/eviction`;
    await kubectl(this.#bench, ["create", "--raw", path, "-f", "-"], JSON.stringify(eviction));
  }

  /** Runs a program of `test/attacks/programs` as the agent, to its end, and gives what it reports. */
  async report(program: string, given: object = {}): Promise<Record<string, unknown>> {
    const { status } = await this.run(program, given);
    const { summary } = status?.result ?? {};
    if (summary === undefined) throw new Error(`${program} reported nothing, but ${JSON.stringify(status)}`);
    return JSON.parse(summary) as Record<string, unknown>;
  }

  /** Runs such a program to its end. */
  async run(program: string, given: object = {}): Promise<Prompt> {
    return this.runFile(join(import.meta.dirname, "..", "..", "attacks", "programs", program), given);
  }

  /** Runs a program as the agent, to its end. */
  async runFile(path: string, given: object): Promise<Prompt> {
    const text = await readFile(path, "utf8");
    const { namespace, name: session } = this.#key;
    this.#prompts += 1;
    const key = { namespace, name: `${session}-${this.#prompts}` };
    const spec = { sessionRef: { name: session }, text: `globalThis.given = ${JSON.stringify(given)};\n${text}` };
    await this.#bench.client.create(Prompt, { metadata: key, spec });
    return this.#until(() => this.#bench.client.get(Prompt, key), isSettled);
  }

  async #until<T extends { status?: unknown }>(read: () => Promise<T>, isSo: (object: T) => boolean): Promise<T> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const object = await read();
      if (isSo(object)) return object;
      if (performance.now() > deadline) {
        throw new Error(`not within ${limitMs / 1000} s, but ${JSON.stringify(object.status)}`);
      }
      await delay(pollMs);
    }
  }
}
