import { expect, it } from "vitest";

import type { Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { stableUuid } from "../../domain/integrations/names.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { newPost } from "../conversations/posts.ts";
import { accessDenied } from "../linear/access.ts";
import { ProviderError } from "../provider-error.ts";
import { FirstThoughts, type FirstThoughtsDeps } from "./first-thoughts.ts";

const clock = new FakeClock();
const integration = {
  metadata: { namespace: "shop", name: "tracker", uid: "t" },
  spec: { access: { users: ["ann"], teams: [] } },
} as unknown as Integration;

function eventOf(person: string): IntegrationEvent {
  return {
    metadata: { name: "e", namespace: "shop", uid: "e" },
    spec: {
      integrationRef: { name: "tracker", uid: "t" },
      deliveryID: "e",
      receivedTime: clock.now().toISOString(),
      linear: { action: "Created", agentSessionID: "a", issueID: "i", actor: { id: person } },
    },
  };
}

/** A call of Linear's, and what ends it. */
interface Call {
  input: { id: string; content: object };
  end: (error?: Error) => void;
}

/** A replica to which an event comes. */
class Replica {
  readonly calls: Call[] = [];
  readonly thoughts: FirstThoughts;
  /** What the API server has. */
  stored: IntegrationEvent | Error;
  readonly event: IntegrationEvent;

  constructor({ leads = true, person = "ann" }: { leads?: boolean; person?: string } = {}) {
    const event = eventOf(person);
    this.event = event;
    this.stored = event;
    const deps = {
      informers: {
        events: {
          get: () => event,
          onChange: (listener: (change: object) => void) => listener({ type: "added", object: event }),
        },
        integrations: { get: () => integration },
      },
      linear: {
        call: (_integration: unknown, _operation: unknown, { input }: Pick<Call, "input">) =>
          new Promise((resolve, reject) => {
            const shown = { agentActivityCreate: { success: true } };
            this.calls.push({ input, end: (error) => (error ? reject(error) : resolve(shown)) });
          }),
      },
      client: {
        find: () => (this.stored instanceof Error ? Promise.reject(this.stored) : Promise.resolve(this.stored)),
      },
      clock,
      isLeading: () => leads,
      metrics: { acknowledged: () => undefined },
    };
    this.thoughts = new FirstThoughts(deps as unknown as FirstThoughtsDeps);
    this.thoughts.start();
  }

  get isPending(): boolean {
    return this.thoughts.isPending(this.event);
  }
}

/** Time passes, and what waits for it goes on. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await settled();
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const away = new ProviderError("unavailable", "Linear is away");

it("the leader acknowledges at once, and the event waits for it", async () => {
  const { calls, ...replica } = leader();
  await settled();
  expect(calls).toMatchObject([
    { input: { id: stableUuid("Thought", "e"), content: { type: "thought", body: "Looking into it." } } },
  ]);
  expect(replica.isPending()).toBe(true);
  calls[0]?.end();
  await settled();
  expect(replica.isPending()).toBe(false);
});

it("what is said next waits for a thought on the way, and not for one that failed after 10 seconds", async () => {
  const { calls, isPending } = leader();
  await settled();
  await pass(10_001);
  expect(isPending()).toBe(true);
  calls[0]?.end(away);
  await settled();
  expect(isPending()).toBe(false);
});

it.each([
  { ms: 9_999, want: true },
  { ms: 10_000, want: false },
  { ms: 10_001, want: false },
])("an event of $ms ms waits for the next try of a thought: $want", async ({ ms, want }) => {
  const { calls, isPending } = leader();
  await settled();
  clock.advance(ms);
  calls[0]?.end(away);
  await settled();
  expect(isPending()).toBe(want);
});

it("another replica acknowledges what the leader has not handled in 3 seconds", async () => {
  const replica = new Replica({ leads: false });
  await pass(2_999);
  expect(replica.calls).toEqual([]);
  await pass(1);
  expect(replica.calls).toHaveLength(1);
});

it("another replica asks whether it was handled, as its cache may not know", async () => {
  const replica = new Replica({ leads: false });
  replica.stored = { ...replica.event, status: { settledTime: clock.now().toISOString() } };
  await pass(3_000);
  expect(replica.calls).toEqual([]);
});

it("another replica believes its cache where the API server is away", async () => {
  const replica = new Replica({ leads: false });
  replica.stored = new Error("no API server");
  await pass(3_000);
  expect(replica.calls).toHaveLength(1);
});

it("another replica refuses a person who may not ask, with the id of the leader's refusal; the leader leaves that to its decision", async () => {
  const led = new Replica({ person: "carl" });
  await pass(3_000);
  expect(led.calls).toEqual([]);
  expect(led.isPending).toBe(false);
  const replica = new Replica({ leads: false, person: "carl" });
  await pass(3_000);
  const { id } = newPost("Refusal", replica.event, { progress: "Pending" });
  expect(replica.calls).toMatchObject([{ input: { id, content: { type: "error", body: accessDenied } } }]);
});

function leader(): { calls: Call[]; isPending: () => boolean } {
  const replica = new Replica();
  return { calls: replica.calls, isPending: () => replica.isPending };
}
