import { expect, it } from "vitest";

import { aPrompt, aSession } from "../../../test/support/builders.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { systemRandom as random } from "../../lib/random.ts";
import { LongLists } from "../http/long-lists.ts";
import { PromptRequests } from "./prompt-requests.ts";

const full = Array.from({ length: 50 }, (_, at) => `p${at}`);

it.each([
  { unfinished: 49, want: "it is stored", counted: [] },
  { unfinished: 50, want: "A session may have at most 50 unfinished prompts", counted: ["prompts"] },
  { unfinished: 51, want: "A session may have at most 50 unfinished prompts", counted: ["prompts"] },
])("with $unfinished unfinished prompts, whatever the status says: $want", async ({ unfinished, want, counted }) => {
  const refused: string[] = [];
  const metrics = { overShare: { inc: ({ budget }: { budget: string }) => refused.push(budget) } } as never;
  const items = Array.from({ length: unfinished }, (_, at) => aPrompt({ metadata: { name: `p${at}` } }));
  const requests = new PromptRequests({
    client: { create: () => Promise.reject(new Error("it is stored")) } as never,
    clock: new FakeClock(),
    random,
    metrics,
    sessions: { byUid: () => undefined, childrenOf: () => [] },
    lists: new LongLists({ list: () => Promise.resolve({ items }) as never }, metrics),
    images: { missing: () => Promise.resolve([]) },
    audit: {} as never,
    decisionMs: 1_000,
  });
  const session = aSession({ metadata: { namespace: "team", uid: "s" }, status: { queue: full } });
  const asked = requests.ask(session, {
    text: "more",
    requester: { kind: "session", session },
    signal: new AbortController().signal,
  });
  await expect(asked).rejects.toThrow(want);
  expect(refused).toEqual(counted);
});
