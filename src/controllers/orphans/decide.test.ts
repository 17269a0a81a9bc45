import { expect, it } from "vitest";
import { decideOrphans } from "./decide.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const ownerLabel = "owner-uid";

function anObject(ageMs: number | undefined, owner?: string) {
  const creationTimestamp = ageMs === undefined ? undefined : new Date(now.getTime() - ageMs).toISOString();
  return { metadata: { name: "s", creationTimestamp, ...(owner ? { labels: { [ownerLabel]: owner } } : {}) } };
}

it.each([
  ["keeps what has a live owner", anObject(600_000, "live"), false],
  ["keeps what is younger than 5 minutes", anObject(299_999, "gone"), false],
  ["takes what is 5 minutes old", anObject(300_000, "gone"), true],
  ["takes what is older", anObject(300_001, "gone"), true],
  ["keeps what names no owner", anObject(600_000), false],
  ["keeps a Secret without an age", anObject(undefined, "gone"), false],
])("%s", (_name, object, isOrphan) => {
  const { effects, requeueMs } = decideOrphans(factsOf(object), now);
  expect(effects).toEqual(isOrphan ? [{ kind: "deleteSecret", secret: object }] : []);
  expect(requeueMs).toBe(600_000);
});

function factsOf(object: ReturnType<typeof anObject>, seenToGo: readonly string[] = []) {
  const ownerUids = new Set(["live"]);
  return { secrets: [object], ownerLabel, ownerUids, goneUids: new Set(seenToGo) };
}

it.each([
  ["takes what is young and whose owner was seen to go", anObject(0, "gone"), true],
  ["keeps what the API server shows an owner of", anObject(600_000, "live"), false],
  ["keeps what is young and of another owner", anObject(0, "other"), false],
])("%s, and looks again after a minute", (_name, object, isOrphan) => {
  const { effects, requeueMs } = decideOrphans(factsOf(object, ["gone", "live"]), now);
  expect(effects).toEqual(isOrphan ? [{ kind: "deleteSecret", secret: object }] : []);
  expect(requeueMs).toBe(60_000);
});
