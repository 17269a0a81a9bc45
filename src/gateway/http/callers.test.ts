import { setImmediate } from "node:timers/promises";

import { beforeEach, expect, it } from "vitest";

import { type Caller, Callers } from "./callers.ts";

/** Access reviews that the API server has not answered, by who they are of. */
let asked: { user: string; answer: () => void }[];
let refused: number;
let callers: Callers;

beforeEach(() => {
  [asked, refused] = [[], 0];
  const create = (_resource: unknown, { spec }: { spec: { user: string } }): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    asked.push({ user: spec.user, answer: () => resolve({ status: { allowed: true } }) });
    return promise;
  };
  callers = new Callers({
    reviews: { review: () => Promise.resolve(undefined) },
    client: { create } as never,
    audiences: { people: "p", sandbox: "s" },
    isSandboxPod: () => false,
    refused: () => void (refused += 1),
  });
});

const never = new AbortController().signal;
const wanted = { verb: "get", resource: "sessions", namespace: "demo" };
const caller = (username: string): Caller => ({ username, uid: undefined, groups: [], extra: {} });

/** Asks so often; what came of each. */
function ask(username: string, times = 1, when?: "again"): Promise<string>[] {
  return Array.from({ length: times }, () =>
    callers.authorize(caller(username), wanted, never, when).then(
      () => "allowed",
      (error: unknown) => (error as { code: string }).code,
    ),
  );
}

/** How many reviews of each are under way. */
async function underWay(): Promise<Record<string, number>> {
  await setImmediate();
  const counts: Record<string, number> = {};
  for (const { user } of asked) counts[user] = (counts[user] ?? 0) + 1;
  return counts;
}

it("has 6 access reviews of a person under way at once, and asks for the next person at once", async () => {
  const many = ask("anna", 100);
  expect(await underWay()).toEqual({ anna: 6 });
  void ask("ben");
  expect(await underWay()).toEqual({ anna: 6, ben: 1 });
  while (asked.length > 0) {
    for (const { answer } of asked.splice(0)) answer();
    await setImmediate();
  }
  expect(await Promise.all(many)).toEqual(Array(100).fill("allowed"));
});

it("counts ServiceAccounts of a namespace as one", async () => {
  void ask("system:serviceaccount:demo:a", 100);
  void ask("system:serviceaccount:demo:b", 100);
  void ask("system:serviceaccount:other:a", 1);
  expect(await underWay()).toEqual({ "system:serviceaccount:demo:a": 6, "system:serviceaccount:other:a": 1 });
});

it("lets 256 of a person wait, and refuses one more, but for what is asked again about an open connection", async () => {
  void ask("anna", 6 + 256);
  expect(refused).toBe(0);
  expect(await ask("anna")[0]).toBe("Busy");
  expect(refused).toBe(1);
  const again = ask("anna", 1, "again");
  await underWay();
  expect(asked).toHaveLength(7);
  asked[6]!.answer();
  expect(await again[0]).toBe("allowed");
});
