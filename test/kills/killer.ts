import type { Session } from "../../src/api/v1alpha1/index.ts";
import type { RunningSandbox } from "./kubelet.ts";
import type { Moment, Moments } from "./moments.ts";
import { oneOf, type Random, wholeNumber } from "./random.ts";
import type { Speaker } from "./relay.ts";
import type { Stage } from "./stage.ts";

/** The third start that fails within 5 minutes makes a session wait; so long no campaign has. */
const mostKilledBoots = 2;

/** Of all kills. */
const shares = { gateways: 0.3, controllers: 0.03 };
/** Of the kills while a workspace is restored, half: few boots of a session may be killed. */
const restoreShares = { ...shares, gateways: 0.5 };
/** Of the kills that wait until the gateway is ready. */
const patientShare = 0.6;

/** Kills gateways, controllers and runtimes at random moments. */
export class Killer {
  readonly #stage: Stage;
  readonly #moments: Moments;
  readonly #random: Random;
  readonly #killedBoots = new Map<string, number>();

  constructor(stage: Stage, moments: Moments, random: Random) {
    this.#stage = stage;
    this.#moments = moments;
    this.#random = random;
  }

  /** Kills up to so many processes, at most three at the same moment; resolves with how many. */
  async kill(most: number): Promise<number> {
    // Often the gateway works by then; at other times it has only begun to start.
    if (this.#random() < patientShare) await this.#stage.operator.gatewayReady();
    const moment = await this.#moments.next(this.#random);
    const wanted = Math.min(most, wholeNumber(this.#random, 1, 3));
    let killed = 0;
    for (let turn = 1; turn <= wanted; turn += 1) killed += (await this.#killOne(moment)) ? 1 : 0;
    return killed;
  }

  /** Who was just spoken to is the first runtime to go. */
  async #killOne({ speaker, isRestore }: Moment): Promise<boolean> {
    const { ledger, operator } = this.#stage;
    const drawn = this.#random();
    const { gateways, controllers } = isRestore ? restoreShares : shares;
    if (drawn < gateways) {
      ledger.operatorKilled("gateways");
      await operator.killGateway();
      return true;
    }
    if (drawn < gateways + controllers) {
      ledger.operatorKilled("controllers");
      await operator.killController();
      return true;
    }
    const victims = this.#victims();
    if (victims.length === 0) return false;
    this.#killRuntime(victims.find((victim) => isSame(victim, speaker)) ?? oneOf(this.#random, victims));
    return true;
  }

  #killRuntime(victim: RunningSandbox): void {
    const { sessionUid } = victim;
    if (!this.#isReady(victim)) this.#killedBoots.set(sessionUid, (this.#killedBoots.get(sessionUid) ?? 0) + 1);
    this.#stage.ledger.runtimeKilled(victim);
    victim.killRuntime();
  }

  #victims(): RunningSandbox[] {
    return this.#stage.kubelet.running.filter((sandbox) => {
      return this.#isReady(sandbox) || (this.#killedBoots.get(sandbox.sessionUid) ?? 0) < mostKilledBoots;
    });
  }

  /** As the controller counts it. */
  #isReady({ sessionUid, attempt }: Speaker): boolean {
    const sandbox = this.#session(sessionUid)?.status?.sandbox;
    return sandbox?.attempt === attempt && sandbox.readyTime !== undefined;
  }

  #session(uid: string): Session | undefined {
    return this.#stage.sessions.list().find(({ metadata }) => metadata.uid === uid);
  }
}

function isSame(victim: RunningSandbox, speaker: Speaker | undefined): boolean {
  return victim.sessionUid === speaker?.sessionUid && victim.attempt === speaker.attempt;
}
