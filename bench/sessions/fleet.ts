import { setTimeout as delay } from "node:timers/promises";

import { protocolTimes } from "../../src/api/runtime/limits.ts";
import { sandboxPath } from "../../src/api/runtime/pod-contract.ts";
import { attemptName } from "../../src/api/v1alpha1/names.ts";
import { makeSandbox, type World } from "../../test/support/runtime-world.ts";
import { Beats } from "./beats.ts";
import { SimulatedRuntime } from "./simulated-runtime.ts";

/** A sandbox whose runtime is to be simulated. */
export interface Member {
  name: string;
  path: string;
  token: string;
}

/** Made beside each other. */
const lanes = 16;
/** A gateway takes 256 connections of one address; a sandbox has one of its own. */
const runtimesPerAddress = 100;
const connectLimitMs = 300_000;

/** Makes sessions whose status names a pod, as controllers would have left them. */
export async function makeMembers(world: World, count: number): Promise<Member[]> {
  const members: Member[] = [];
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const sandbox = await makeSandbox(world);
      const { sessionUid, attempt } = sandbox;
      const name = attemptName(sessionUid, attempt);
      members.push({ name, path: sandboxPath(sessionUid, attempt), token: await sandbox.token() });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return members;
}

/** Simulated runtimes of one server. */
export class Fleet {
  readonly beats = new Beats();
  /** Refused upgrades by status. */
  refusals: Record<string, number> = {};
  readonly #runtimes: SimulatedRuntime[];

  constructor(members: readonly Member[], server: { port: number; ca: string }) {
    this.#runtimes = members.map(({ name, path, token }, index) => {
      const url = `wss://localhost:${server.port}${path}`;
      const localAddress = `127.0.1.${1 + Math.floor(index / runtimesPerAddress)}`;
      return new SimulatedRuntime(
        { name, url, ca: server.ca, token, localAddress },
        {
          beat: (who, dueMs) => this.beats.sent(who, dueMs),
          answered: (who) => this.beats.done(who),
          refused: (status) => (this.refusals[status] = (this.refusals[status] ?? 0) + 1),
        },
      );
    });
  }

  start(): void {
    for (const runtime of this.#runtimes) void runtime.run();
  }

  stop(): void {
    for (const runtime of this.#runtimes) runtime.stop();
  }

  /** Resolves with the milliseconds until every runtime is welcome. */
  async whole(): Promise<number> {
    const startMs = performance.now();
    while (!this.#runtimes.every(({ isWelcome }) => isWelcome)) {
      const passedMs = performance.now() - startMs;
      if (passedMs > connectLimitMs) throw new Error(`not all runtimes are welcome within ${connectLimitMs} ms`);
      await delay(10);
    }
    return performance.now() - startMs;
  }

  /** Heartbeats for so many periods, `spreadMs` apart at most; resolves when each has had its effect. */
  async beat(periods: number, spreadMs: number = protocolTimes.heartbeatMs): Promise<void> {
    this.beats.reset();
    for (const runtime of this.#runtimes) runtime.beatAfter(Math.random() * spreadMs);
    await delay(periods * protocolTimes.heartbeatMs);
    for (const runtime of this.#runtimes) runtime.restBeating();
    while (!this.beats.isComplete) await delay(10);
  }
}
