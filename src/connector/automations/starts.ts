import { type Automation, type IntegrationEvent, type IntegrationTriggerType, Run } from "../../api/v1alpha1/index.ts";
import { makeRun } from "../../domain/deliveries/make-run.ts";
import { UncountedRuns } from "../../domain/deliveries/uncounted-runs.ts";
import { keyedRunName } from "../../domain/object-names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { nameHolder } from "../../kube/name-holder.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";
import { nameOf, type Outcome } from "./lifecycle.ts";
import { Waiting } from "./waiting.ts";

/** What starts a Run, as far as the event alone says. */
export interface Startable {
  automation: Automation;
  maxUnfinishedRuns: number;
}

/** What an event is to Automations. */
export interface Happening {
  type: IntegrationTriggerType;
  /** The same for the same thing that happened, however often it is delivered. */
  key: string;
  /** JSON that the agent is to see. */
  payload: string;
}

/** Starts Runs, and knows those that the controller may not have counted yet. */
export class Starts {
  readonly #clock: Clock;
  readonly #uncounted = new Map<string, UncountedRuns>();
  readonly #waiting = new Waiting();
  /** What became of events that still wait for another Automation, by UID of the Automation. */
  readonly #became = new Map<string, Map<string, Outcome>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What became of an event at an Automation in an earlier pass. */
  known(event: IntegrationEvent, { metadata: { uid = "" } }: Automation): Outcome | undefined {
    return this.#became.get(keyText(keyOf(event)))?.get(uid);
  }

  /**
   * The Run that an earlier process started for an event which finds no place: it may be what takes the place. Once an event waits here,
   * no earlier process can have started it.
   */
  async startedBefore(
    client: Pick<KubeClient, "find">,
    event: IntegrationEvent,
    { startable, runName: name }: { startable: Startable; runName: string },
  ): Promise<Outcome | undefined> {
    const { automation } = startable;
    if (!this.#isFull(event, startable) || this.#waiting.has(automation.metadata.uid ?? "", event)) return undefined;
    const found = await client.find<Run>(Run, { namespace: event.metadata.namespace, name });
    if (found?.spec.trigger.deliveryID !== event.metadata.name) return undefined;
    return { automation: nameOf(automation), became: "triggered", message: `Run ${name}` };
  }

  /** That an event has to wait: so many Runs are unfinished, or are to be started for earlier events. */
  waits(event: IntegrationEvent, startable: Startable): Outcome | undefined {
    if (!this.#isFull(event, startable)) return undefined;
    const { automation, maxUnfinishedRuns } = startable;
    this.#waiting.add(automation.metadata.uid ?? "", event);
    const message = `it has ${maxUnfinishedRuns} unfinished Runs, its limit`;
    return { automation: nameOf(automation), became: "waited", message };
  }

  #isFull(event: IntegrationEvent, { automation, maxUnfinishedRuns }: Startable): boolean {
    return (
      this.#unfinished(automation) + this.#waiting.before(automation.metadata.uid ?? "", event) >= maxUnfinishedRuns
    );
  }

  /** An Automation does not want an event, which keeps no place of its own then. */
  drop(event: IntegrationEvent, automation: Automation, problem: string): Outcome {
    this.#waiting.drop(keyOf(event), automation.metadata.uid ?? "");
    return { automation: nameOf(automation), became: "unwanted", message: problem };
  }

  /** The events that an Automation has room for now, of those that wait for it. */
  next(automation: Automation): ObjectKey[] {
    const { github, slack } = automation.spec.trigger;
    const { maxUnfinishedRuns = 0 } = github ?? slack ?? {};
    return this.#waiting.first(automation.metadata.uid ?? "", maxUnfinishedRuns - this.#unfinished(automation));
  }

  /** Creates the one Run of an Automation for what happened, unless so many of its Runs are unfinished. */
  async start(
    client: Pick<KubeClient, "create" | "find">,
    { event, happening, startable }: { event: IntegrationEvent; happening: Happening; startable: Startable },
    signal: AbortSignal,
  ): Promise<Outcome> {
    // Others may have been started since it was looked at.
    const full = this.waits(event, startable);
    if (full) return full;
    const { automation } = startable;
    const { uid = "" } = automation.metadata;
    const run = runOf(event, happening, automation);
    const outcome = await this.#create(client, { event, run, automation }, signal);
    this.#waiting.drop(keyOf(event), uid);
    return this.remember(event, automation, outcome);
  }

  /** Notes what became of an event at an Automation: it stays so while the event waits for another one. */
  remember(event: IntegrationEvent, { metadata: { uid = "" } }: Automation, outcome: Outcome): Outcome {
    const key = keyText(keyOf(event));
    this.#became.set(key, (this.#became.get(key) ?? new Map<string, Outcome>()).set(uid, outcome));
    return outcome;
  }

  async #create(
    client: Pick<KubeClient, "create" | "find">,
    { event, run, automation }: { event: IntegrationEvent; run: Run; automation: Automation },
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { name = "" } = run.metadata;
    const outcome = (became: Outcome["became"], message: string): Outcome => ({
      automation: nameOf(automation),
      became,
      message,
    });
    const uncounted = this.#uncountedOf(automation);
    const release = uncounted.reserve(name);
    try {
      await client.create(Run, run, { signal });
      uncounted.add(name, this.#countSeen(automation), this.#clock.monotonicMs());
      return outcome("triggered", `Run ${name}`);
    } catch (error) {
      // An earlier pass over this event may have made it.
      const found = await nameHolder<Run>(client, Run, { object: run, error }, { signal });
      if (!found) throw error;
      if (found.spec.trigger.deliveryID === event.metadata.name) return outcome("triggered", `Run ${name}`);
      return outcome("duplicate", `Run ${name} of an earlier event is there`);
    } finally {
      release();
    }
  }

  /** Drops what is known of a deleted Automation. */
  forget({ metadata }: Automation): void {
    this.#uncounted.delete(metadata.uid ?? "");
    this.#waiting.forget(metadata.uid ?? "");
  }

  /** Drops what is known of an event that waits no longer. */
  forgetEvent(key: ObjectKey): void {
    this.#waiting.drop(key);
    this.#became.delete(keyText(key));
  }

  #unfinished(automation: Automation): number {
    return (automation.status?.activeRuns ?? 0) + this.#uncountedOf(automation).count(this.#countSeen(automation));
  }

  #countSeen({ metadata, status }: Automation) {
    const { resourceVersion: version = "" } = metadata;
    return { version, lastRunName: status?.lastRun?.name, readMs: this.#clock.monotonicMs() };
  }

  #uncountedOf({ metadata: { uid = "" } }: Automation): UncountedRuns {
    const uncounted = this.#uncounted.get(uid) ?? new UncountedRuns();
    this.#uncounted.set(uid, uncounted);
    return uncounted;
  }
}

/** The Run of an Automation for an event; its name follows from what happened, and not from the delivery. */
function runOf(event: IntegrationEvent, { type, key, payload }: Happening, automation: Automation): Run {
  const { namespace = "", name = "", uid = "", generation = 0 } = automation.metadata;
  const delivery = {
    id: event.metadata.name ?? "",
    receivedAt: new Date(event.spec.receivedTime),
    payload,
    idempotencyKey: key,
  };
  const logged = { type, namespace, name, uid, generation } as const;
  return makeRun(logged, delivery, keyedRunName({ name, uid }, key));
}
