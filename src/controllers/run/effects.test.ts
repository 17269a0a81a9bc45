import { describe, expect, it } from "vitest";

import type { Session } from "../../api/v1alpha1/index.ts";
import { KubeError } from "../../kube/errors.ts";
import { type RunEffect, RunEffects, type RunEffectsDeps } from "./effects.ts";
import { anAutomation, aRun } from "./fake-facts.ts";
import { makeSession } from "./resources.ts";

const session = makeSession(aRun(), anAutomation(), 0);
const stored: Session = { ...session, metadata: { ...session.metadata, uid: "session-uid" } };
const foreign: Session = { ...stored, metadata: { ...stored.metadata, ownerReferences: [] } };

const answered = (status: number, message: string): KubeError =>
  new KubeError({ message, status, reason: "Refused", delivery: "received" });
const quota = answered(403, "exceeded quota: sessions");
const policy = answered(422, "a policy of the cluster");

/** Creates the Run's Session at an API server that refuses it, where this has its name. */
async function creating(refusal: KubeError, there: Session | undefined): Promise<void> {
  const client = { create: () => Promise.reject(refusal), find: () => Promise.resolve(there) };
  const deps = { client, events: { record: () => undefined } } as unknown as RunEffectsDeps;
  const effects: RunEffect[] = [{ kind: "createSession", session }];
  await new RunEffects(deps, aRun(), new AbortController().signal).performAll(effects);
}

describe("a Session that is refused", () => {
  it.each([
    { name: "a quota", refusal: quota },
    { name: "a policy", refusal: policy },
  ])("by $name is the one that an earlier attempt made, where that is there", async ({ refusal }) => {
    await creating(refusal, stored);
  });

  it("by a quota is tried again where none is there", async () => {
    await expect(creating(quota, undefined)).rejects.toBe(quota);
  });

  it("by a policy ends the Run where none is there", async () => {
    await expect(creating(policy, undefined)).rejects.toMatchObject({ name: "TerminalError", reason: "InvalidSpec" });
  });

  it.each([
    { whose: "of a former Run of this name", owner: { uid: "former-uid" }, want: { name: "Error" } },
    { whose: "of another Run", owner: { uid: "other-uid", name: "other" }, want: { reason: "NameTaken" } },
    { whose: "of another kind's object", owner: { uid: "other-uid", kind: "Workflow" }, want: { reason: "NameTaken" } },
  ])("meets a Session $whose", async ({ owner, want }) => {
    const ownerReferences = session.metadata.ownerReferences?.map((reference) => ({ ...reference, ...owner }));
    const left = { ...stored, metadata: { ...stored.metadata, ownerReferences } };
    const taken = new KubeError({ message: "", status: 409, reason: "AlreadyExists", delivery: "received" });
    await expect(creating(taken, left)).rejects.toMatchObject(want);
  });

  it("is not another owner's of that name", async () => {
    await expect(creating(quota, foreign)).rejects.toMatchObject({ name: "TerminalError", reason: "NameTaken" });
  });
});
