import { beforeEach, expect, it } from "vitest";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ProviderError } from "../provider-error.ts";
import { UserGroups } from "./user-groups.ts";

const integration = (uid: string): Integration => ({ metadata: { uid } }) as Integration;
const mine = integration("i1");
let clock: FakeClock;
let members: Record<string, string[] | ProviderError>;
let calls: number;
let groups: UserGroups;

beforeEach(() => {
  clock = new FakeClock();
  members = { S1: ["U1"], S2: ["U2"] };
  calls = 0;
  const usersOf = ({ usergroup }: { usergroup: string }) => {
    calls += 1;
    const found = members[usergroup] ?? new ProviderError("refused", "no_such_subteam");
    return found instanceof ProviderError ? Promise.reject(found) : Promise.resolve({ users: found });
  };
  const web = { usergroups: { users: { list: usersOf } } };
  groups = new UserGroups({ clock, slack: { call: (_integration, _name, call) => call(web as never) } });
});

it.each([
  { name: "the first", of: ["S1", "S2"], user: "U1", want: true },
  { name: "a later one", of: ["S1", "S2"], user: "U2", want: true },
  { name: "none of them", of: ["S1", "S2"], user: "U3", want: false },
  { name: "one that Slack does not know", of: ["S9"], user: "U1", want: false },
  { name: "one behind such", of: ["S9", "S1"], user: "U1", want: true },
  { name: "no group", of: [], user: "U1", want: false },
])("a person in $name: $want", async ({ of, user, want }) => {
  expect(await groups.hasMember(mine, of, user)).toBe(want);
});

it.each(["unavailable", "throttled", "credentials"] as const)("what ends as %s is not remembered", async (failure) => {
  members.S1 = new ProviderError(failure, "away");
  await expect(groups.hasMember(mine, ["S1"], "U1")).rejects.toMatchObject({ failure });
  members.S1 = ["U1"];
  expect(await groups.hasMember(mine, ["S1"], "U1")).toBe(true);
});

it.each([
  { afterMs: 59_999, want: true },
  { afterMs: 60_000, want: false },
])("a person who was taken out may after $afterMs ms: $want", async ({ afterMs, want }) => {
  await groups.hasMember(mine, ["S1"], "U1");
  members.S1 = [];
  clock.advance(afterMs);
  expect(await groups.hasMember(mine, ["S1"], "U1")).toBe(want);
});

it("members are of one Integration", async () => {
  await groups.hasMember(mine, ["S1"], "U1");
  await groups.hasMember(mine, ["S1"], "U1");
  expect(calls).toBe(1);
  await groups.hasMember(integration("i2"), ["S1"], "U1");
  expect(calls).toBe(2);
});
