import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import type { AttackName } from "./attack-names.ts";
import type { Order } from "./attacker.ts";
import type { SceneOptions } from "./scene.ts";

const program = join(import.meta.dirname, "attacker.ts");

/** The attacker's process. */
export class Attacker {
  /** Whether its requests are creates of objects, which keep our processes busy after its end. */
  readonly createsObjects: boolean;
  readonly #child: ChildProcess;
  readonly #failed: Promise<never>;

  constructor(attack: AttackName, scene: SceneOptions) {
    this.createsObjects = attack === "sandboxes" || attack === "objects";
    this.#child = fork(program, [attack, JSON.stringify(scene)]);
    this.#failed = once(this.#child, "exit").then(([code]) => {
      throw new Error(`the attacker ended with ${String(code)}`);
    });
    this.#failed.catch(() => undefined);
  }

  async ready(): Promise<void> {
    await this.#answer();
  }

  order(order: Order): Promise<number> {
    this.#child.send(order);
    return this.#answer();
  }

  async stop(): Promise<void> {
    const isUp = this.#child.exitCode === null && this.#child.signalCode === null;
    if (!isUp) return;
    await this.order({ do: "clear" }).catch(() => undefined);
    this.#child.kill("SIGKILL");
    await this.#failed.catch(() => undefined);
  }

  async #answer(): Promise<number> {
    const [count] = (await Promise.race([once(this.#child, "message"), this.#failed])) as [number];
    return count;
  }
}
