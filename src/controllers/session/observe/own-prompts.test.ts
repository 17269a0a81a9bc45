import { expect, it } from "vitest";

import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import type { Prompt, Session, SessionStatus } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { ListOptions } from "../../../kube/client-options.ts";
import { queueOf } from "../decide/queue.ts";
import { ownPrompts } from "./own-prompts.ts";

function promptOf(uid: string, metadata: Prompt["metadata"] = {}): Prompt {
  const ownerReferences = [{ apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "fix", uid: "s" }];
  const base = { namespace: "shop", name: `fix-${uid}`, uid, resourceVersion: uid.slice(1), ownerReferences };
  return aPrompt({ metadata: { ...base, ...metadata } });
}

const [first, second, third] = [promptOf("p1"), promptOf("p2"), promptOf("p3")];
const current = { name: "fix-p1", uid: "p1", startTime: "2026-05-04T10:15:00Z", deadline: "2026-05-04T10:25:00Z" };

function session(status: SessionStatus, metadata: Session["metadata"] = {}): Session {
  return aSession({ metadata: { namespace: "shop", uid: "s", ...metadata }, status });
}

/** The prompts of a session by a cache and an API server, and what was listed. */
async function look(of: Session, cached: readonly Prompt[], stored: readonly Prompt[]) {
  const lists: ListOptions[] = [];
  const list = (_resource: unknown, options: ListOptions): Promise<object> => {
    lists.push(options);
    return Promise.resolve({ items: [...stored], resourceVersion: "9" });
  };
  const deps = {
    client: { list } as unknown as Pick<KubeClient, "list">,
    informers: { prompts: { byIndex: () => [...cached] } },
  };
  return { prompts: await ownPrompts(deps, of), lists };
}

it("a prompt that is worked on has not left the queue where the cache of prompts is behind that of sessions", async () => {
  const working = session({ queue: ["p1"], currentPrompt: current });
  const { prompts } = await look(working, [second], [first, second]);
  expect(prompts).toEqual([first, second]);
  expect(queueOf(working, prompts).current).toEqual(first);
});

it.each<{ name: string; status: SessionStatus }>([
  { name: "waits", status: { queue: ["p1", "p2"] } },
  { name: "is worked on, by a status without its queue", status: { currentPrompt: current } },
])("one that $name is looked for among those of the session", async ({ status }) => {
  const { prompts, lists } = await look(session(status), [second], [third, first, second]);
  expect(prompts).toEqual([first, second, third]);
  expect(lists).toMatchObject([{ namespace: "shop", fieldSelector: "spec.sessionRef.name=fix" }]);
});

it("one that the API server does not have has left the queue", async () => {
  const { prompts, lists } = await look(session({ queue: ["p1", "p2"] }), [second], [second]);
  expect([prompts, lists.length]).toEqual([[second], 1]);
});

it("the cache has the word on what it has", async () => {
  const going = promptOf("p1", { deletionTimestamp: "2026-05-04T10:16:00Z" });
  const { prompts, lists } = await look(session({ queue: ["p1"], currentPrompt: current }), [going], [first]);
  expect([prompts, lists]).toEqual([[], []]);
});

it.each<{ name: string; of: Session }>([
  { name: "all that the status names are cached", of: session({ queue: ["p2"], currentPrompt: undefined }) },
  { name: "the status names none", of: session({}) },
  {
    name: "the session is being deleted",
    of: session({ queue: ["p1"] }, { deletionTimestamp: "2026-05-04T10:16:00Z" }),
  },
])("nothing is listed where $name", async ({ of }) => {
  const { prompts, lists } = await look(of, [third, second], [first]);
  expect([prompts, lists]).toEqual([[second, third], []]);
});

it("prompts of a session that had the name before, or are being deleted, are left out", async () => {
  const former = promptOf("p1", {
    ownerReferences: [{ apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "fix", uid: "before" }],
  });
  const ofPeople = promptOf("p3", { ownerReferences: [] });
  const going = promptOf("p4", { deletionTimestamp: "2026-05-04T10:16:00Z" });
  const { prompts } = await look(session({ queue: ["p1"] }), [second], [former, second, ofPeople, going]);
  expect(prompts).toEqual([second, ofPeople]);
});
