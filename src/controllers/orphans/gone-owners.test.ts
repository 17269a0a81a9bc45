import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { GoneOwners, settleMs } from "./gone-owners.ts";

const start = "2026-05-04T10:00:00.000Z";

function anOwner(uid: string) {
  return { metadata: { name: "s", uid } };
}

it("knows who was deleted, and nobody else", () => {
  const owners = new GoneOwners(new FakeClock(start));
  owners.note({ type: "added", object: anOwner("came") });
  owners.note({ type: "updated", object: anOwner("changed"), old: anOwner("changed") });
  owners.note({ type: "deleted", object: anOwner("went"), old: anOwner("went") });
  expect([...owners.uids()]).toEqual(["went"]);
});

it.each([
  ["keeps them for two minutes", 2 * settleMs, ["went"]],
  ["forgets them after that", 2 * settleMs + 1, []],
])("%s", (_, ms, want) => {
  const clock = new FakeClock(start);
  const owners = new GoneOwners(clock);
  owners.note({ type: "deleted", object: anOwner("went"), old: anOwner("went") });
  clock.advance(ms);
  expect([...owners.uids()]).toEqual(want);
});
