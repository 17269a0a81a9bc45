import { expect, it } from "vitest";
import { aRun, aSession, anAutomation } from "../../../test/support/builders.ts";
import { KubeError } from "../../kube/errors.ts";
import { type AutomationEffect, type AutomationEffectsDeps, performAll } from "./effects.ts";

const run = (name: string) => aRun({ metadata: { name, namespace: "demo" } });
const effects: AutomationEffect[] = [
  { kind: "createRun", run: run("slot") },
  { kind: "writeStatus", status: { nextScheduleTime: "2026-05-04T11:00:00Z" } },
  { kind: "deleteRun", run: run("old") },
  { kind: "deleteSession", session: aSession({ metadata: { name: "keyed-0" } }) },
  { kind: "emptyRun", run: run("keyed") },
];
const quota = new KubeError({ message: "exceeded quota", status: 403, reason: "Forbidden", delivery: "received" });
const away = new KubeError({ message: "away", status: 500, reason: "InternalError", delivery: "received" });
const policy = new KubeError({ message: "a policy", status: 422, reason: "Invalid", delivery: "received" });

/** What is written where the call of this name fails, and what of it is thrown. */
async function written(failing: string, error: KubeError): Promise<{ done: string[]; thrown: unknown }> {
  const done: string[] = [];
  const call = (name: string) => (): Promise<object> => {
    if (name === failing) return Promise.reject(error);
    done.push(name);
    return Promise.resolve({ metadata: {} });
  };
  const client = {
    create: call("create"),
    patchStatus: call("patchStatus"),
    delete: call("delete"),
    patch: call("patch"),
  };
  const deps = { client, events: { record: () => undefined } } as unknown as AutomationEffectsDeps;
  const thrown: unknown = await performAll(deps, anAutomation(), effects, new AbortController().signal).catch(
    (failure: unknown) => failure,
  );
  return { done, thrown };
}

it("a full quota that refuses the Run of a slot keeps no history, which may be what fills it", async () => {
  expect(await written("create", quota)).toEqual({ done: ["delete", "delete", "patch"], thrown: quota });
});

it.each([
  { what: "an answer that is no refusal", failing: "create", error: away, done: [] },
  { what: "a status that is refused", failing: "patchStatus", error: policy, done: ["create"] },
])("$what ends the pass", async ({ failing, error, done }) => {
  expect(await written(failing, error)).toEqual({ done, thrown: error });
});
