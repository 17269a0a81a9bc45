import { beforeEach, describe, expect, it } from "vitest";

import type { DeliveryLog, LoggedDelivery } from "../../api/v1alpha1/index.ts";
import { KubeError } from "../../kube/errors.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ClusterDeliveryLedger } from "./delivery-ledger.ts";

const automation = { namespace: "demo", name: "alerts", uid: "u1" };
const other = { namespace: "demo", name: "other", uid: "u2" };
const failure = (status: number, reason: string): KubeError =>
  new KubeError({ message: "write", status, reason, delivery: "received" });

let clock: FakeClock;
let logs: Map<string, DeliveryLog>;
/** Calls that change something, in order; each is stored unless `refuse` says otherwise. */
let writes: string[];
let refuse: (write: string) => KubeError | undefined;
/** Whether answers to writes are lost. */
let lose: boolean;
let ledger: ClusterDeliveryLedger;
let dropped: number;
let outcomes: string[];

beforeEach(() => {
  clock = new FakeClock();
  logs = new Map();
  writes = [];
  refuse = () => undefined;
  lose = false;
  dropped = 0;
  outcomes = [];
  const write = (verb: string, name: string, log: DeliveryLog): Promise<DeliveryLog> => {
    const error = refuse(`${verb} ${name}`);
    writes.push(`${verb} ${name}`);
    if (error) return Promise.reject(error);
    logs.set(name, structuredClone(log));
    return lose ? Promise.reject(failure(0, "Timeout")) : Promise.resolve(log);
  };
  // The ledger calls no other forms of these.
  const client = {
    find: (_kind: unknown, { name }: { name: string }) => Promise.resolve(structuredClone(logs.get(name))),
    create: (_kind: unknown, log: DeliveryLog) => write("create", log.metadata.name ?? "", log),
    patch: (_kind: unknown, { name }: { name: string }, { spec }: DeliveryLog) =>
      write("patch", name, { ...logs.get(name)!, spec }),
  } as never;
  ledger = new ClusterDeliveryLedger({
    client,
    clock,
    random: { uuid: () => "writer" },
    knownUid: ({ name }) => (name === "alerts" ? "u1" : undefined),
    metrics: { wroteLog: (outcome) => void outcomes.push(outcome), droppedFromLog: (count) => (dropped += count) },
  });
});

let made = 0;
function note(of = automation, rest: Partial<LoggedDelivery> = {}): void {
  const entry = { message: "", httpStatus: 200, bodyBytes: 2, decision: "Started" } as const;
  made += 1;
  // Each a little later than the one before, whatever the clock does.
  const time = new Date(clock.now().getTime() + made).toISOString();
  ledger.note(of, { id: `d${made}`, time, ...entry, ...rest });
}

/** Moves time by steps of 100 ms, letting writes end between them. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    clock.advance(100);
    await settled();
  }
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const count = (name = "alerts"): number => logs.get(name)?.spec.deliveries?.length ?? 0;

describe("writes", () => {
  it("are one for a burst, a second after its first delivery", async () => {
    for (let at = 0; at < 50; at += 1) note();
    await pass(900);
    expect(writes).toEqual([]);
    await pass(100);
    expect(writes).toEqual(["create alerts"]);
    expect(count()).toBe(50);
  });

  it("are at most one in 5 s, and none is later than 5 s after its delivery", async () => {
    for (let at = 0; at < 300; at += 1) {
      note();
      await pass(100);
      // Ten deliveries a second, so what is not yet there is of the last 5 s.
      expect(made - Number(logs.get("alerts")?.spec.deliveries?.[0]?.id.slice(1) ?? made)).toBeLessThanOrEqual(50);
    }
    expect(writes.length).toBeGreaterThanOrEqual(5);
    expect(writes.length).toBeLessThanOrEqual(1 + 30 / 5);
  });

  it("come at once where the last one is long ago", async () => {
    note();
    await pass(1_000);
    await pass(60_000);
    note();
    await pass(1_000);
    expect(writes).toEqual(["create alerts", "patch alerts"]);
  });

  it("are for each automation by itself", async () => {
    note();
    note(other);
    await pass(1_000);
    expect(writes).toEqual(["create alerts", "create other"]);
  });

  it("are none for counts alone until a minute is over, then one", async () => {
    for (let at = 0; at < 1_000; at += 1) ledger.countRefusal(automation, "WrongKey", clock.now());
    ledger.countRefusal({ namespace: "demo", name: "unknown" }, "MissingKey", clock.now());
    await pass(59_900);
    expect(writes).toEqual([]);
    await pass(100);
    expect(writes).toEqual(["create alerts"]);
    expect(logs.get("alerts")?.spec).toMatchObject({
      deliveries: [],
      refusals: [{ reason: "WrongKey", count: 1_000 }],
    });
  });

  it("take counts along with a delivery", async () => {
    ledger.countRefusal(automation, "WrongKey", clock.now());
    await pass(10_000);
    note();
    await pass(1_000);
    expect(writes).toEqual(["create alerts"]);
    expect(logs.get("alerts")?.spec).toMatchObject({ refusals: [{ reason: "WrongKey", count: 1 }] });
    await pass(120_000);
    expect(writes).toHaveLength(1);
  });

  it("leave nothing behind once they are done", async () => {
    note();
    await pass(1_000);
    expect(clock.timers).toBe(1);
    await pass(5_000);
    expect(clock.timers).toBe(0);
  });
});

describe("a write that fails", () => {
  it.each([
    { name: "is refused", error: failure(403, "Forbidden") },
    { name: "meets a server error", error: failure(500, "InternalError") },
    { name: "brings no answer", error: failure(0, "Timeout") },
  ])("because it $name is made good by the next, 5 s later", async ({ error }) => {
    note();
    ledger.countRefusal(automation, "WrongKey", clock.now());
    refuse = () => error;
    await pass(1_000);
    note();
    await pass(4_900);
    expect(writes).toHaveLength(1);
    refuse = () => undefined;
    await pass(100);
    expect(outcomes).toEqual(["failed", "stored"]);
    expect(count()).toBe(2);
    expect(logs.get("alerts")?.spec.refusals).toMatchObject([{ count: 1 }]);
  });

  it("although it was carried out counts once, and what came meanwhile with the next", async () => {
    lose = true;
    ledger.countRefusal(automation, "WrongKey", clock.now());
    await pass(60_000);
    ledger.countRefusal(automation, "WrongKey", clock.now());
    ledger.countRefusal(automation, "MissingKey", clock.now());
    await pass(10_000);
    expect(outcomes).toEqual(["failed", "failed", "failed"]);
    lose = false;
    await pass(10_000);
    expect(outcomes.slice(3)).toEqual(["stored", "stored"]);
    expect(logs.get("alerts")?.spec).toMatchObject({
      refusals: [
        { reason: "WrongKey", count: 2 },
        { reason: "MissingKey", count: 1 },
      ],
      writers: [{ id: "writer", sequence: 2 }],
    });
    await pass(120_000);
    expect(outcomes).toHaveLength(5);
  });

  it("on top of another replica's is tried again at once, with what that one wrote", async () => {
    note();
    await pass(6_000);
    note();
    refuse = () => {
      refuse = () => undefined;
      const log = logs.get("alerts")!;
      log.spec.deliveries = [{ ...log.spec.deliveries![0]!, id: "theirs" }, ...log.spec.deliveries!];
      return failure(409, "Conflict");
    };
    await pass(1_000);
    expect(writes).toEqual(["create alerts", "patch alerts", "patch alerts"]);
    expect(count()).toBe(3);
  });

  it("holds on to no more than a log does, whatever comes", async () => {
    refuse = () => failure(500, "InternalError");
    for (let at = 0; at < 1_000; at += 1) note();
    await pass(20_000);
    refuse = () => undefined;
    await pass(5_000);
    expect(count()).toBe(100);
    expect(logs.get("alerts")?.spec.deliveries?.[0]?.id).toBe(`d${made}`);
    expect(dropped).toBe(0);
  });

  it("does not fill the memory: deliveries of the automation that waits longest are dropped and counted", async () => {
    refuse = () => failure(500, "InternalError");
    const body = "x".repeat(8_192);
    for (let at = 0; at < 1_000; at += 1) note({ ...automation, name: `a${at}`, uid: `a${at}` }, { body });
    expect(dropped).toBe(0);
    for (let at = 1_000; at < 2_000; at += 1) note({ ...automation, name: `a${at}`, uid: `a${at}` }, { body });
    expect(dropped).toBeGreaterThan(0);
    expect(2_000 - dropped).toBeGreaterThan(1_500);
    refuse = () => undefined;
    await pass(10_000);
    expect(logs.size).toBe(2_000 - dropped);
    expect(logs.has("a0")).toBe(false);
    expect(logs.has("a1999")).toBe(true);
  });
});

describe("when", () => {
  it("the process ends, what is left is written", async () => {
    note();
    note(other);
    await ledger.close();
    expect(writes.toSorted()).toEqual(["create alerts", "create other"]);
    expect(clock.timers).toBeLessThanOrEqual(3);
  });

  it("the process ends during a write, what came meanwhile is written too", async () => {
    note();
    clock.advance(1_000);
    note();
    await ledger.close();
    expect(writes).toEqual(["create alerts", "patch alerts"]);
    expect(count()).toBe(2);
  });

  it("the process ends and nothing can be written, it is not kept for more than 5 s", async () => {
    refuse = () => failure(500, "InternalError");
    note();
    const closed = ledger.close();
    await settled();
    clock.advance(5_000);
    await closed;
    expect(writes).toHaveLength(1);
  });

  it("the automation goes, nothing more is written", async () => {
    note();
    ledger.forget("u1");
    await pass(10_000);
    expect(writes).toEqual([]);
  });

  it("the name belongs to another automation now, its log is left alone until it is gone", async () => {
    note(automation);
    await pass(6_000);
    note({ ...automation, uid: "u9" });
    await pass(1_000);
    expect(writes).toEqual(["create alerts"]);
    expect(outcomes).toEqual(["stored", "failed"]);
    logs.delete("alerts");
    await pass(5_000);
    expect(logs.get("alerts")?.metadata.ownerReferences).toMatchObject([{ kind: "Automation", uid: "u9" }]);
  });
});
