import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parse, stringify } from "yaml";

import { Automation } from "../../../src/api/v1alpha1/index.ts";
import { systemClock, type Clock } from "../../../src/lib/clock.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { World } from "../run/world.ts";

/** Waits ten times as long as a person's clock would, so that a busy machine is no reason for giving up. */
const patientClock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() / 10 };

type RunOptions = Parameters<typeof runPlugin>[1];

/** People with kubeconfigs in front of a namespace with a controller. */
export class CliWorld {
  readonly world: World;
  readonly #directory: string;

  private constructor(world: World, directory: string) {
    this.world = world;
    this.#directory = directory;
  }

  static async make(): Promise<CliWorld> {
    const world = await World.make(testCluster().kubeconfig);
    return new CliWorld(world, await mkdtemp(join(tmpdir(), "runwright-cli-")));
  }

  get namespace(): string {
    return this.world.namespace;
  }

  async close(): Promise<void> {
    await this.world.close();
    await rm(this.#directory, { recursive: true });
  }

  /** Path of a kubeconfig of another user, whose context has the world's namespace. */
  async kubeconfigOf(user: string): Promise<string> {
    const config = parse(await readFile(testCluster().kubeconfig, "utf8")) as {
      users: { user: Record<string, unknown> }[];
      contexts: { context: Record<string, unknown> }[];
    };
    for (const { user: entry } of config.users) entry.as = user;
    for (const { context } of config.contexts) context.namespace = this.namespace;
    const path = join(this.#directory, user);
    await writeFile(path, stringify(config));
    return path;
  }

  /** Calls the plugin with admin's rights in the world's namespace while the controllers' time goes on. */
  call(line: string, options?: RunOptions): Promise<CliResult> {
    return this.callWith(testCluster().kubeconfig, `${line} -n ${this.namespace}`, options);
  }

  async callWith(kubeconfig: string, line: string, options?: RunOptions): Promise<CliResult> {
    let result: CliResult | undefined;
    const argv = [...line.split(" "), "--kubeconfig", kubeconfig];
    const called = runPlugin(argv, { clock: patientClock, ...options }).then((came) => (result = came));
    await this.world.until(`${line} has returned`, () => result !== undefined);
    return called;
  }

  /** Says of an Automation what the controller says after the third failure. */
  async pauseByFailures(name: string, pausedAt: Date): Promise<void> {
    const automation = await this.world.automation(name);
    await this.world.client.patchStatus(Automation, automation, {
      ...automation.status,
      consecutiveFailures: 3,
      conditions: [
        {
          type: "Paused",
          status: "True",
          reason: "TooManyFailures",
          message: "3 failed",
          lastTransitionTime: pausedAt.toISOString(),
        },
      ],
    });
  }
}
