import { describe, expect, it, vi } from "vitest";
import { skillPieceBytes } from "../../../api/runtime/skill-set.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { makeSkillSecrets } from "./pieces.ts";
import { overBudget, type StoredSet, storedSets } from "./set-budget.ts";
import { SkillSetUse } from "./set-use.ts";

const MiB = 1_048_576;
const budgets = { namespace: 10 * MiB, total: 20 * MiB };

function aSet(digest: string, bytes: number, ...namespaces: string[]): StoredSet {
  return { digest, bytes, namespaces: new Set(namespaces) };
}

function wanted(bytes: number, { digest = "new", namespace = "shop" } = {}) {
  return { digest, bytes, namespace };
}

describe("a namespace's budget", () => {
  it.each([
    [4 * MiB - 1, undefined],
    [4 * MiB, undefined],
    [4 * MiB + 1, "namespace"],
  ])("beside 6 MiB has room for %d bytes, or it says %s", (bytes, bound) => {
    const stored = [aSet("a", 6 * MiB, "shop"), aSet("b", 9 * MiB, "other")];
    expect(overBudget(stored, wanted(bytes), budgets)?.bound).toBe(bound);
  });

  it("is named in the message, with what is used of it and who can give more", () => {
    expect(overBudget([aSet("a", 6 * MiB, "shop")], wanted(5 * MiB), budgets)?.message).toBe(
      "the session's skills have 5 MiB, and namespace shop has used 6 MiB of 10 MiB for sets of skills (controller.skillSetBudgets.namespace)",
    );
  });

  it("counts a set once, however many sessions have it, and also where another namespace stored it", () => {
    const shared = [aSet("a", 6 * MiB, "shop", "other"), aSet("b", 3 * MiB, "other")];
    expect(overBudget(shared, wanted(6 * MiB, { digest: "a" }), budgets)).toBeUndefined();
    expect(overBudget(shared, wanted(3 * MiB, { digest: "b" }), budgets)).toBeUndefined();
    expect(overBudget(shared, wanted(5 * MiB), budgets)?.bound).toBe("namespace");
  });
});

describe("the budget of all", () => {
  it.each([
    [2 * MiB - 1, undefined],
    [2 * MiB, undefined],
    [2 * MiB + 1, "total"],
  ])("beside 18 MiB has room for %d bytes, or it says %s", (bytes, bound) => {
    const stored = [aSet("a", 9 * MiB, "one"), aSet("b", 9 * MiB, "two")];
    expect(overBudget(stored, wanted(bytes), budgets)?.bound).toBe(bound);
  });

  it("below what is there refuses nothing that is there", () => {
    const stored = [aSet("a", 9 * MiB, "shop"), aSet("b", 9 * MiB, "other")];
    const low = { namespace: MiB, total: MiB };
    expect(overBudget(stored, wanted(9 * MiB, { digest: "a" }), low)).toBeUndefined();
    expect(overBudget(stored, wanted(1), low)?.bound).toBe("namespace");
  });
});

describe("stored sets", () => {
  const release = { name: "rw", namespace: "system" };
  const of = (namespace: string) => ({ sessionsNamespace: "sessions", release, namespace });
  const digest = `sha256:${"a".repeat(64)}`;

  it("have the bytes of all their pieces and the namespaces of who stored and who has them", () => {
    const content = Buffer.alloc(skillPieceBytes + 1);
    const session = {
      metadata: { namespace: "other" },
      status: { skills: { digest, names: [], bytes: 1, pieces: 2 } },
    };
    const sets = storedSets(makeSkillSecrets({ digest, content }, of("shop")), [session]);
    expect([...sets.values()]).toEqual([aSet(digest, skillPieceBytes + 1, "shop", "other")]);
  });

  it("of an earlier release count as full pieces, and other Secrets not at all", () => {
    const [secret] = makeSkillSecrets({ digest, content: Buffer.alloc(5) }, of("shop"));
    const old = { metadata: { name: secret?.metadata.name ?? "" } };
    const sets = storedSets([old, { metadata: { name: "u1-1" } }], []);
    expect([...sets.values()]).toEqual([aSet(digest, skillPieceBytes)]);
  });
});

describe("while no cache shows them", () => {
  function use(stored: readonly StoredSet[] = []) {
    const clock = new FakeClock();
    const refused = vi.fn();
    const ledger = { budgets, stored: () => new Map(stored.map((set) => [set.digest, set])), refused };
    return { clock, refused, sets: new SkillSetUse(clock, ledger) };
  }

  it("sets that are being stored count, and what finds no room is counted", () => {
    const { sets, refused } = use();
    expect(sets.admit(wanted(6 * MiB, { digest: "a" }), "s1")).toBeUndefined();
    expect(sets.admit(wanted(4 * MiB + 1, { digest: "b" }), "s2")).toContain("namespace shop has used 6 MiB of 10 MiB");
    expect(refused.mock.calls).toEqual([["namespace"]]);
    expect(sets.admit(wanted(4 * MiB, { digest: "b" }), "s2")).toBeUndefined();
  });

  it("they count for an hour after their last use", () => {
    const { sets, clock } = use();
    sets.admit(wanted(10 * MiB, { digest: "a" }), "s1");
    clock.advance(3_599_999);
    expect(sets.admit(wanted(1), "s2")).toBeDefined();
    clock.advance(1);
    expect(sets.admit(wanted(1), "s2")).toBeUndefined();
  });

  it("a set goes with the one start that used it and failed, and frees its room", async () => {
    const { sets } = use();
    const looked = vi.fn();
    sets.onFailed(looked);
    sets.admit(wanted(10 * MiB, { digest: "a" }), "s1");
    sets.failed("s1");
    expect(looked).toHaveBeenCalledOnce();
    const remove = vi.fn(() => Promise.resolve());
    await sets.deleteIfUnused("a", remove);
    expect(remove).toHaveBeenCalledOnce();
    expect(sets.admit(wanted(10 * MiB, { digest: "b" }), "s2")).toBeUndefined();
  });

  it("a set stays that another start uses, or that a start has begun with", async () => {
    const { sets } = use();
    const remove = vi.fn(() => Promise.resolve());
    sets.admit(wanted(1, { digest: "a" }), "s1");
    sets.admit(wanted(1, { digest: "a" }), "s2");
    sets.failed("s1");
    sets.started("s2");
    sets.failed("s2");
    await sets.deleteIfUnused("a", remove);
    expect(remove).not.toHaveBeenCalled();
  });
});
