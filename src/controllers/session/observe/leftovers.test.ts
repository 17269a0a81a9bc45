import { expect, it } from "vitest";

import { aPrompt } from "../../../../test/support/builders.ts";
import { apiVersion, labels, type Prompt, type Session } from "../../../api/v1alpha1/index.ts";
import { observeAbsent } from "./leftovers.ts";

const key = { namespace: "shop", name: "fix" };
const workflow = { apiVersion: "argoproj.io/v1alpha1", kind: "Workflow", name: "nightly", uid: "w1" };
const formerSession = { apiVersion, kind: "Session", name: "fix", uid: "s0" };

/** Names of the prompts that fail where this Session is the one at the API server, and none is cached. */
async function lost(metadata: Prompt["metadata"], stored?: Session): Promise<(string | undefined)[]> {
  const prompt = aPrompt({ metadata: { namespace: "shop", uid: "p1", ...metadata } });
  const none = { get: () => undefined, byIndex: () => [] };
  const informers = { sessions: none, pods: none, prompts: { ...none, byIndex: () => [prompt] } };
  const client = { find: () => Promise.resolve(stored) };
  const { lostPrompts } = await observeAbsent(
    { informers, client } as unknown as Parameters<typeof observeAbsent>[0],
    key,
  );
  return lostPrompts.map(({ metadata: { name } }) => name);
}

it.each<{ whose: string; metadata: Prompt["metadata"]; want: string[] }>([
  { whose: "of a person", metadata: {}, want: ["fix-1"] },
  { whose: "that something else owns", metadata: { ownerReferences: [workflow] }, want: ["fix-1"] },
  { whose: "of a former Session, which goes with it", metadata: { ownerReferences: [formerSession] }, want: [] },
  { whose: "that lost its Session by orphaning", metadata: { labels: { [labels.sessionUid]: "s0" } }, want: [] },
  { whose: "that is being deleted", metadata: { deletionTimestamp: "2026-05-04T10:00:00Z" }, want: [] },
])("without a Session, $want of the prompts $whose fail", async ({ metadata, want }) => {
  expect(await lost(metadata)).toEqual(want);
});

it("none fails where the API server has the Session", async () => {
  expect(await lost({ ownerReferences: [workflow] }, { metadata: { name: "fix" } } as Session)).toEqual([]);
});
