import { afterEach, beforeEach, expect, it } from "vitest";
import { ArchivedCollections } from "../../../test/support/archive-writer-world.ts";
import { aPullRequest, aSession } from "../../../test/support/builders.ts";
import type { PullRequest, Session } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ArchivedObjects } from "./archived-objects.ts";
import type { PullRequestRow } from "./schema/tables.ts";

const namespace = "team";
let cluster: ArchivedCollections;
let objects: ArchivedObjects;
const clock = new FakeClock();

beforeEach(async () => {
  cluster = new ArchivedCollections();
  objects = new ArchivedObjects({ client: cluster.client, clock, random: { fraction: () => 0 } }, []);
  objects.start();
  await objects.synced();
});
afterEach(() => objects.stop());

const putSession = (costUsd: string, metadata: Session["metadata"] = {}): void =>
  void cluster.sessions.put(aSession({ metadata: { namespace, uid: "s", ...metadata }, status: { costUsd } }));
const putPullRequest = (name: string, status: PullRequest["status"] = {}): void =>
  void cluster.pullRequests.put(
    aPullRequest({ metadata: { namespace, name, uid: name, creationTimestamp: "2026-05-04T10:00:00Z" }, status }),
  );

/** What waits of pull requests, once what happened was seen. */
async function taken(): Promise<Partial<PullRequestRow>[]> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
  const { pullRequests = [] } = objects.take(500);
  return pullRequests.map(({ uid, source, state, cost_micro, gone_ms }) => ({
    uid,
    source,
    state,
    cost_micro,
    gone_ms,
  }));
}

const ofPerson = { source: "person", state: null, gone_ms: null };

it("has a pull request with what its session tells, and again when that costs more", async () => {
  putSession("0.5");
  putPullRequest("a");
  putPullRequest("b");
  expect(await taken()).toEqual([
    { ...ofPerson, uid: "a", cost_micro: 500_000 },
    { ...ofPerson, uid: "b", cost_micro: 0 },
  ]);
  expect(await taken()).toEqual([]);
  putSession("0.7");
  expect(await taken()).toMatchObject([{ uid: "a", cost_micro: 700_000 }]);
  putPullRequest("b", { githubState: "Closed" });
  expect(await taken()).toMatchObject([{ uid: "b", state: "closed" }]);
});

it("has pull requests again only for what their session tells of them", async () => {
  putSession("0.5");
  putPullRequest("a");
  putPullRequest("b");
  await taken();
  const counts: number[] = [];
  for (const [costUsd, pass] of [
    ["0.5", "1"],
    ["0.5", "2"],
    ["0.6", "3"],
    ["0.6", "4"],
  ] as const) {
    putSession(costUsd, { annotations: { pass } });
    counts.push((await taken()).length);
  }
  expect(counts).toEqual([0, 0, 1, 0]);
  putSession("0.6", {
    ownerReferences: [{ apiVersion: "runwright.dev/v1alpha1", kind: "Run", name: "x", uid: "x", controller: true }],
  });
  expect(await taken()).toMatchObject([
    { uid: "a", source: "automation" },
    { uid: "b", source: "automation" },
  ]);
});

it("keeps a change that waits while the session changes in what tells nothing", async () => {
  putSession("0.5");
  putPullRequest("a");
  await taken();
  putSession("0.6");
  putSession("0.6", { annotations: { pass: "1" } });
  expect(await taken()).toMatchObject([{ uid: "a", cost_micro: 600_000 }]);
});

it("counts the cost once where a pull request made in the same second comes before one that was stored", async () => {
  putSession("0.5");
  putPullRequest("b");
  expect(await taken()).toMatchObject([{ uid: "b", cost_micro: 500_000 }]);
  putPullRequest("a");
  expect((await taken()).toSorted((one, other) => (one.uid! < other.uid! ? -1 : 1))).toMatchObject([
    { uid: "a", cost_micro: 500_000 },
    { uid: "b", cost_micro: 0 },
  ]);
});

it("knows nothing of a session of another namespace, or of one that it has not seen", async () => {
  putSession("0.5", { namespace: "other" });
  putPullRequest("a");
  expect(await taken()).toMatchObject([{ uid: "a", source: null, cost_micro: null }]);
});

it("keeps what a session told that goes before its pull requests, each cost once", async () => {
  putSession("0.5");
  putPullRequest("a");
  putPullRequest("b");
  await taken();
  cluster.sessions.remove({ namespace, name: "fix" });
  cluster.pullRequests.remove({ namespace, name: "a" });
  const goneMs = clock.now().getTime();
  const [a, b] = await taken();
  expect(a).toEqual({ ...ofPerson, uid: "a", cost_micro: 500_000, gone_ms: goneMs });
  expect(b).toEqual({ ...ofPerson, uid: "b", cost_micro: 0 });
  // Of what it told nothing is left here; the archive keeps it.
  cluster.pullRequests.remove({ namespace, name: "b" });
  expect(await taken()).toMatchObject([{ uid: "b", source: null, cost_micro: null, gone_ms: goneMs }]);
  expect(objects.isLive("pull_requests", "b")).toBe(false);
});

it("takes at most as many rows as are wanted, of all kinds together", async () => {
  putSession("0.5");
  putPullRequest("a");
  putPullRequest("b");
  for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
  expect(objects.waiting).toBe(3);
  const { sessions, pullRequests = [] } = objects.take(2);
  expect([sessions.length, pullRequests.length, objects.waiting]).toEqual([1, 1, 1]);
});
