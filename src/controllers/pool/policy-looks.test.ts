import { expect, it } from "vitest";
import { warmSource as source } from "../../../test/support/warm-source.ts";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import type { NetworkPolicy } from "../../kube/core-resources.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { PolicyLooks } from "./policy-looks.ts";

const pool = { metadata: { namespace: "shop", name: "warm", uid: "u" } } as SandboxPool;
const all: NetworkPolicy["spec"] = { podSelector: {} };

/** Looks at a namespace with policies of these names; undefined: they cannot be listed. */
function looking(): {
  clock: FakeClock;
  looks: PolicyLooks;
  see: (names: string[] | undefined) => void;
  lists: () => number;
} {
  const clock = new FakeClock();
  let lists = 0;
  let names: string[] | undefined = [];
  const list = (): Promise<unknown> => {
    lists += 1;
    if (!names) return Promise.reject(new Error("forbidden"));
    return Promise.resolve({ items: names.map((name) => ({ metadata: { name }, spec: all })) });
  };
  const looks = new PolicyLooks({ clock, client: { list } as never });
  return { clock, looks, see: (next) => void (names = next), lists: () => lists };
}

it("reads the policies of a namespace every 10 minutes", async () => {
  const { clock, looks, see, lists } = looking();
  see(["open", "runwright-sandbox", "runwright-sandbox-c"]);
  expect(await looks.namesFor(pool, source)).toEqual(["open"]);
  see([]);
  clock.advance(599_999);
  expect(await looks.namesFor(pool, source)).toEqual(["open"]);
  clock.advance(1);
  expect(await looks.namesFor(pool, source)).toEqual([]);
  expect(lists()).toBe(2);
});

it("knows nothing while they cannot be read, and keeps what it knew", async () => {
  const { clock, looks, see } = looking();
  see(undefined);
  expect(await looks.namesFor(pool, source)).toBeUndefined();
  see(["open"]);
  clock.advance(600_000);
  await looks.namesFor(pool, source);
  see(undefined);
  clock.advance(600_000);
  expect(await looks.namesFor(pool, source)).toEqual(["open"]);
});

it("reads anew for another pool, and for one that came after it was gone", async () => {
  const { looks, see } = looking();
  await looks.namesFor(pool, source);
  see(["open"]);
  const other = { metadata: { ...pool.metadata, name: "other" } } as SandboxPool;
  expect(await looks.namesFor(other, source)).toEqual(["open"]);
  expect(await looks.namesFor(pool, source)).toEqual([]);
  looks.forget("shop/warm");
  expect(await looks.namesFor(pool, source)).toEqual(["open"]);
});
