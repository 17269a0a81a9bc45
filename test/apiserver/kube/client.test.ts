import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessFrom } from "../../../src/kube/access.ts";
import { KubeClient } from "../../../src/kube/client.ts";
import { HttpTransport } from "../../../src/kube/http-transport.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { configMaps } from "../../../src/kube/core-resources.ts";
import { type PersistentVolumeClaim, persistentVolumeClaims } from "../../support/core-resources.ts";
import {
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnanswered,
  isUnsent,
} from "../../../src/kube/errors.ts";
import { testCluster } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { clientOf, newNamespace } from "../../support/kube.ts";
import { failureOf } from "./failure-of.ts";

let proxy: FaultProxy;
let connection: ReturnType<typeof clientOf>;
let client: KubeClient;
let namespace: string;

beforeAll(async () => {
  proxy = await startFaultProxy(testCluster());
  connection = clientOf({ text: proxy.kubeconfig() });
  client = connection.client;
  namespace = await newNamespace(client, "client");
});

afterAll(async () => {
  await connection.close();
  await proxy.close();
});

beforeEach(() => void (proxy.seen.length = 0));

/** A transport, and the characters of each answer that it brought. */
function measured(): { transport: Transport; sizes: number[] } {
  const sizes: number[] = [];
  const config = new KubeConfig();
  config.loadFromString(proxy.kubeconfig());
  const inner = new HttpTransport({ access: accessFrom(config), clock: systemClock });
  const transport: Transport = {
    send: async (request, limits) => {
      const answer = await inner.send(request, limits);
      sizes.push(answer.text.length);
      return answer;
    },
    stream: (request, limits, sink) => inner.stream(request, limits, sink),
    close: () => inner.close(),
  };
  return { transport, sizes };
}

describe("objects", () => {
  it("come back from create, get, replace, patch and apply as they are stored", async () => {
    const key = { namespace, name: "round-trip" };
    const created = await client.create(configMaps, { metadata: key, data: { a: "1" } });
    expect(await client.get(configMaps, key)).toEqual(created);
    const replaced = await client.replace(configMaps, { ...created, data: { a: "2" } });
    expect(replaced.data).toEqual({ a: "2" });
    expect((await client.patch(configMaps, key, { data: { a: null, b: "3" } })).data).toEqual({ b: "3" });
    const operations = [{ op: "replace", path: "/data/b", value: "4" }];
    expect((await client.patch(configMaps, key, operations, { type: "json" })).data).toEqual({ b: "4" });
    const applied = { apiVersion: "v1", kind: "ConfigMap", data: { c: "5" } };
    const after = await client.patch(configMaps, key, applied, { type: "apply", fieldManager: "other", force: true });
    expect(after.data).toEqual({ b: "4", c: "5" });
    expect(after.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "other", operation: "Apply" }),
    );
  });

  it("are stored whole where their metadata alone is read back, and no hook gets them", async () => {
    const written: string[] = [];
    const { transport, sizes } = measured();
    const storing = new KubeClient({
      transport,
      clock: systemClock,
      hooks: [{ afterWrite: () => void written.push("stored") }],
    });
    const key = { namespace, name: "stored" };
    const data = { a: "x".repeat(60_000) };
    await storing.store(configMaps, { metadata: key, data });
    expect(sizes).toEqual([expect.toSatisfy((size: number) => size < 2_000)]);
    expect([(await client.get(configMaps, key)).data, written]).toEqual([data, []]);
    expect(isAlreadyExists(await failureOf(storing.store(configMaps, { metadata: key, data })))).toBe(true);
    await transport.close();
  });

  it("that are not there are undefined, or an error that says which", async () => {
    const key = { namespace, name: "missing" };
    expect(await client.find(configMaps, key)).toBeUndefined();
    const error = await failureOf(client.get(configMaps, key));
    expect([isNotFound(error), error.message]).toEqual([
      true,
      `get configmaps "${namespace}/missing": configmaps "missing" not found`,
    ]);
  });

  it("are looked after by their metadata alone", async () => {
    const { transport, sizes } = measured();
    const looking = new KubeClient({ transport, clock: systemClock });
    const key = { namespace, name: "large" };
    expect(await looking.exists(configMaps, key)).toBe(false);
    await client.create(configMaps, { metadata: key, data: { a: "x".repeat(60_000) } });
    expect(await looking.exists(configMaps, key)).toBe(true);
    expect(sizes.at(-1)).toBeLessThan(2_000);
    await transport.close();
  });

  it("are refused with the field named", async () => {
    const error = await failureOf(client.create(configMaps, { metadata: { namespace, name: "Not_A_Name" } }));
    expect([isInvalid(error), error.details?.causes?.[0]?.field]).toEqual([true, "metadata.name"]);
  });

  it("are refused for unknown members, where that is asked for", async () => {
    const object = { metadata: { namespace, name: "strict" }, nobody: 1 };
    const error = await failureOf(client.create(configMaps, object, { strict: true }));
    expect([error.status, error.message]).toEqual([400, expect.stringContaining('unknown field "nobody"')]);
    await client.create(configMaps, object);
  });

  it("are only judged in a dry run", async () => {
    const key = { namespace, name: "dry" };
    await client.create(configMaps, { metadata: key }, { dryRun: true });
    expect(await client.find(configMaps, key)).toBeUndefined();
  });

  it("cannot be replaced or made over a version that was not seen", async () => {
    const key = { namespace, name: "contested" };
    const created = await client.create(configMaps, { metadata: key });
    await client.patch(configMaps, key, { data: { a: "1" } });
    expect(isConflict(await failureOf(client.replace(configMaps, created)))).toBe(true);
    expect(isAlreadyExists(await failureOf(client.create(configMaps, { metadata: key })))).toBe(true);
  });
});

describe("delete", () => {
  it("keeps an object that is not the one meant", async () => {
    const key = { namespace, name: "kept" };
    const created = await client.create(configMaps, { metadata: key });
    const other = "00000000-0000-0000-0000-000000000000";
    expect(isConflict(await failureOf(client.delete(configMaps, key, { uid: other })))).toBe(true);
    expect(isConflict(await failureOf(client.delete(configMaps, key, { resourceVersion: "1" })))).toBe(true);
    const { uid, resourceVersion } = created.metadata;
    expect(await client.delete(configMaps, key, { uid, resourceVersion, propagationPolicy: "Background" })).toBe(true);
    expect(await client.delete(configMaps, key)).toBe(false);
  });
});

describe("list", () => {
  const labelSelector = "of=the-list";

  beforeAll(async () => {
    for (let at = 0; at < 10; at += 1) {
      const metadata = { namespace, name: `item-${at}`, labels: { of: "the-list" } };
      await client.create(configMaps, { metadata, data: { at: `${at}` } });
    }
  });

  it("reads all pages as of one moment, and says what the items are", async () => {
    const { items, resourceVersion } = await client.list(configMaps, { namespace, labelSelector, limit: 3 });
    expect(items.map(({ kind, data }) => `${kind ?? ""} ${data?.at ?? ""}`)).toEqual(
      Array.from({ length: 10 }, (_item, at) => `ConfigMap ${at}`),
    );
    expect(proxy.seen).toHaveLength(4);
    expect(Number(resourceVersion)).toBeGreaterThan(0);
  });

  it("begins again, page by page, when that moment is forgotten in the middle", async () => {
    proxy.inject(
      { kind: "answer", status: 410, reason: "Expired" },
      { matches: ({ path }) => path.includes("continue=") },
    );
    const { items } = await client.list(configMaps, { namespace, labelSelector, limit: 3 });
    expect([items.length, proxy.seen.map(({ status }) => status)]).toEqual([10, [200, 410, 200, 200, 200, 200]]);
  });

  it("reads metadata alone where that is all that is asked", async () => {
    const { items } = await client.list(configMaps, { namespace, labelSelector, metadataOnly: true });
    expect([items.length, items[0]?.data, items[0]?.metadata.name]).toEqual([10, undefined, "item-0"]);
  });
});

describe("patchStatus", () => {
  async function aClaim(name: string): Promise<PersistentVolumeClaim> {
    return client.create(persistentVolumeClaims, {
      metadata: { namespace, name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
  }

  it("writes what differs, takes away what is gone, and nothing else", async () => {
    const claim = await aClaim("status");
    const bound = await client.patchStatus(persistentVolumeClaims, claim, {
      ...claim.status,
      phase: "Bound",
      capacity: { storage: "1Gi" },
    });
    expect(bound.status).toEqual({ phase: "Bound", capacity: { storage: "1Gi" } });
    const pending = await client.patchStatus(persistentVolumeClaims, bound, { phase: "Pending" });
    expect(pending.status).toEqual({ phase: "Pending" });
  });

  it("writes nothing when nothing differs", async () => {
    const claim = await aClaim("same");
    proxy.seen.length = 0;
    expect(await client.patchStatus(persistentVolumeClaims, claim, { ...claim.status })).toBe(claim);
    expect(proxy.seen).toEqual([]);
  });

  it("conflicts when the object has changed since", async () => {
    const claim = await aClaim("stale");
    await client.patch(persistentVolumeClaims, { namespace, name: "stale" }, { metadata: { labels: { a: "b" } } });
    const error = await failureOf(client.patchStatus(persistentVolumeClaims, claim, { phase: "Bound" }));
    expect(isConflict(error)).toBe(true);
  });
});

describe("hooks", () => {
  it("learn of each write what was stored, and on what it followed", async () => {
    const written: string[] = [];
    const requests: string[] = [];
    const told = client.withHooks({
      afterWrite: ({ plural }, { metadata }, basis) =>
        void written.push(`${plural} ${metadata.name ?? ""} ${basis.kind}`),
      afterRequest: ({ verb, status }) => void requests.push(`${verb} ${status}`),
    });
    const key = { namespace, name: "told" };
    const created = await told.create(configMaps, { metadata: key });
    await told.replace(configMaps, created);
    await told.patch(configMaps, key, { data: { a: "1" } });
    await told.create(configMaps, { metadata: { namespace, name: "not-stored" } }, { dryRun: true });
    await told.delete(configMaps, key);
    expect(written).toEqual(["configmaps told created", "configmaps told version", "configmaps told any"]);
    expect(requests).toEqual(["create 201", "update 200", "patch 200", "create 201", "delete 200"]);
  });

  it("that forbid a write keep it from being sent", async () => {
    const forbidden = client.withHooks({
      beforeWrite: (verb) => {
        throw new Error(`no ${verb}`);
      },
    });
    await expect(forbidden.create(configMaps, { metadata: { namespace, name: "no" } })).rejects.toThrow("no create");
    expect(proxy.seen).toEqual([]);
  });
});

describe("on a bad connection", () => {
  it("a create whose answer was lost says so, and its repeat meets itself", async () => {
    const object = { metadata: { namespace, name: "lost" } };
    proxy.inject({ kind: "lose" });
    expect(isUnanswered(await failureOf(client.create(configMaps, object)))).toBe(true);
    expect(isAlreadyExists(await failureOf(client.create(configMaps, object)))).toBe(true);
    expect(proxy.seen).toHaveLength(2);
  });

  it("a create that reached no server says that", async () => {
    const nowhere = clientOf({ text: proxy.kubeconfig().replace(proxy.url, "http://127.0.0.1:9") });
    const error = await failureOf(nowhere.client.create(configMaps, { metadata: { namespace, name: "unsent" } }));
    expect([isUnsent(error), isUnanswered(error)]).toEqual([true, false]);
    await nowhere.close();
  });

  it("a read is sent once more, not twice", async () => {
    proxy.inject({ kind: "refuse" });
    expect((await client.list(configMaps, { namespace })).items.length).toBeGreaterThan(0);
    proxy.inject({ kind: "refuse" }, { times: 2 });
    expect((await failureOf(client.list(configMaps, { namespace }))).reason).toBe("ConnectionFailed");
    expect(proxy.seen).toHaveLength(4);
  });

  it("a server that is too busy is not asked again, and its wish is passed on", async () => {
    proxy.inject({ kind: "answer", status: 429, reason: "TooManyRequests", retryAfterSeconds: 7 });
    const error = await failureOf(client.get(configMaps, { namespace, name: "any" }));
    expect([isTooManyRequests(error), error.retryAfterSeconds, proxy.seen.length]).toEqual([true, 7, 1]);
  });

  it("a call ends after its own time", async () => {
    proxy.inject({ kind: "delay", ms: 5_000 });
    const error = await failureOf(client.get(configMaps, { namespace, name: "any" }, { timeoutMs: 150 }));
    expect(error.reason).toBe("Timeout");
  });
});
