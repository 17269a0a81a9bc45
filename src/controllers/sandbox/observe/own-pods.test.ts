import { expect, it } from "vitest";
import { aSession } from "../../../../test/support/builders.ts";
import { labels, type Session } from "../../../api/v1alpha1/index.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { sessionAsOwner } from "../owner.ts";
import { sandboxPodName } from "../pod/names.ts";
import { isSandboxOf, takesPlace, withRead } from "./own-pods.ts";

const session = aSession({ metadata: { namespace: "team", name: "fix", uid: "u1" } });
// Only what the rules look at.
const atSecond = { ...session, status: { sandbox: { attempt: 2, podUID: "pod-2" } } } as Session;

const reference = { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "fix", uid: "u1" };

function aPod(attempt: number, metadata: Partial<Pod["metadata"]> = {}): Pod {
  return {
    metadata: {
      namespace: "team",
      name: sandboxPodName({ name: "fix", uid: "u1" }, attempt),
      labels: { [labels.attempt]: String(attempt) },
      ownerReferences: [reference],
      ...metadata,
    },
  };
}

it.each([
  ["takes the operator's own pod", aPod(1), true],
  ["refuses one of another namespace", aPod(1, { namespace: "elsewhere" }), false],
  ["refuses one without an owner", aPod(1, { ownerReferences: [] }), false],
  [
    "takes one of another version",
    aPod(1, { ownerReferences: [{ ...reference, apiVersion: "runwright.dev/v1" }] }),
    true,
  ],
  ["refuses one of another group", aPod(1, { ownerReferences: [{ ...reference, apiVersion: "v1" }] }), false],
  ["refuses one of another kind", aPod(1, { ownerReferences: [{ ...reference, kind: "Run" }] }), false],
  ["refuses one of another name", aPod(1, { name: "mine" }), false],
  ["refuses one that says another attempt than its name", aPod(1, { labels: { [labels.attempt]: "2" } }), false],
])("%s", (_name, pod, want) => expect(isSandboxOf(sessionAsOwner(session), pod)).toBe(want));

it.each([
  ["takes one that was handed over and is recorded", aPod(2, { name: "warm-1", uid: "pod-2" }), true],
  ["refuses another of a strange name", aPod(2, { name: "warm-1", uid: "pod-3" }), false],
  ["refuses one that is recorded and has another owner", aPod(2, { uid: "pod-2", ownerReferences: [] }), false],
])("%s", (_name, pod, want) => expect(isSandboxOf(sessionAsOwner(atSecond), pod)).toBe(want));

it.each([
  ["one without an owner", undefined, aPod(1), false],
  ["a first pod that is not recorded yet", session, aPod(1), true],
  ["a second pod before the first is recorded", session, aPod(2), false],
  ["one of an attempt that is over", atSecond, aPod(1), false],
  ["the current one", atSecond, aPod(2), true],
  ["the next one", atSecond, aPod(3), true],
  ["one far ahead", atSecond, aPod(4), false],
  ["one that is being deleted", atSecond, aPod(2, { deletionTimestamp: "2026-05-04T10:00:00Z" }), false],
])("judges whether %s takes a place of its class", (_name, of, pod, want) =>
  expect(takesPlace(of && sessionAsOwner(of), pod)).toBe(want),
);

it("a pod that was read takes the place of the one of its name that a cache still shows", () => {
  const [first, before, read] = [aPod(1), aPod(2, { uid: "before" }), aPod(2, { uid: "read" })];
  expect(withRead([first, before], read)).toEqual([first, read]);
  expect(withRead([first], read)).toEqual([first, read]);
});
