import type { Session } from "../../src/api/v1alpha1/session.ts";
import type { Speaker } from "./relay.ts";

type Transfer = "save" | "restore";

/** Which workspaces were saved and restored, as Sessions and gateway said it. */
export class Saves {
  /** Kills while a workspace was being saved or restored. */
  readonly kills = { save: 0, restore: 0 };
  /** Attempt whose saved workspace a sandbox began with, by sandbox; undefined: with an empty one. */
  readonly #bases = new Map<string, number | undefined>();
  /** The last attempt whose workspace a Session has, by UID. */
  readonly #saved = new Map<string, number>();
  readonly #restored = new Set<string>();
  readonly #underWay = new Map<string, { speaker: Speaker; transfer: Transfer }>();
  #count = 0;

  /** How many workspaces were saved, and how many sandboxes have restored one. */
  get counts(): { saved: number; restored: number } {
    return { saved: this.#count, restored: this.#restored.size };
  }

  /** The attempt whose saved workspace a sandbox began with. */
  baseOf(speaker: Speaker): number | undefined {
    return this.#bases.get(keyOf(speaker));
  }

  /** Takes in a state of a Session; what it says that must never be. */
  follow({ metadata: { name = "", uid = "" }, status }: Session): string[] {
    const { sandbox, snapshot } = status ?? {};
    const before = this.#saved.get(uid) ?? 0;
    const saved = snapshot?.attempt ?? 0;
    if (saved > before) this.#count += 1;
    this.#saved.set(uid, Math.max(saved, before));
    const speaker = { sessionUid: uid, attempt: sandbox?.attempt ?? 0 };
    if (sandbox && saved < sandbox.attempt) this.#bases.set(keyOf(speaker), snapshot?.attempt);
    if (sandbox?.snapshotTime === undefined || sandbox.endTime !== undefined) this.#end(speaker, "save");
    return [
      ...(saved < before ? [`session ${name} had the workspace of attempt ${before} and then that of ${saved}`] : []),
      ...(snapshot?.problem === undefined ? [] : [`the saved workspace of session ${name} is ${snapshot.problem}`]),
    ];
  }

  /** The gateway has asked for a stream. */
  began(speaker: Speaker, transfer: Transfer): void {
    this.#underWay.set(keyOf(speaker), { speaker, transfer });
  }

  /** A sandbox is ready, so what it had to restore is restored. */
  restored(speaker: Speaker): void {
    if (this.#underWay.get(keyOf(speaker))?.transfer === "restore") this.#restored.add(keyOf(speaker));
    this.#end(speaker, "restore");
  }

  /** A runtime was killed, or what serves all of them. */
  killed(victim?: Speaker): void {
    const hit = [...this.#underWay.values()].filter(({ speaker }) => !victim || keyOf(speaker) === keyOf(victim));
    for (const transfer of new Set(hit.map((one) => one.transfer))) this.kills[transfer] += 1;
    if (victim) this.#underWay.delete(keyOf(victim));
  }

  #end(speaker: Speaker, transfer: Transfer): void {
    const key = keyOf(speaker);
    if (this.#underWay.get(key)?.transfer === transfer) this.#underWay.delete(key);
  }
}

function keyOf({ sessionUid, attempt }: Speaker): string {
  return `${sessionUid}.${attempt}`;
}
