import { afterEach, beforeEach, expect, it } from "vitest";

import { Automation, Run } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { leases } from "../../src/kube/core-resources.ts";
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from "../../src/kube/errors.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { anAutomation, aRun, aVerdict } from "./builders.ts";

/** One API server with a namespace of a test's own. */
export interface ApiServerUnderTest {
  client: KubeClient;
  namespace: string;
  close(): Promise<void>;
}

/**
 * What processes of this project rely on of an API server. It runs against a real one and against the simulated one, which
 * may say nothing else.
 */
export function apiServerContract(open: () => Promise<ApiServerUnderTest>): void {
  let api: ApiServerUnderTest;
  beforeEach(async () => {
    api = await open();
  });
  afterEach(() => api.close());

  const key = (name: string): { namespace: string; name: string } => ({ namespace: api.namespace, name });
  const createRun = (name: string): Promise<Run> => api.client.create(Run, aRun({ metadata: key(name) }));
  const createLease = (name: string, labels: Record<string, string> = {}): Promise<KubeObject> =>
    api.client.create(leases, { metadata: { ...key(name), labels }, spec: { holderIdentity: "a" } });

  it("stores an object of a name once", async () => {
    const { metadata } = await createRun("a");
    expect(metadata.uid).toBeDefined();
    expect(metadata.generation).toBe(1);
    await expect(createRun("a")).rejects.toSatisfy(isAlreadyExists);
    await expect(api.client.store(Run, aRun({ metadata: key("a") }))).rejects.toSatisfy(isAlreadyExists);
  });

  it("says whether there is an object of a name", async () => {
    await createRun("a");
    expect(await api.client.exists(Run, key("a"))).toBe(true);
    expect(await api.client.exists(Run, key("b"))).toBe(false);
  });

  it("fills in defaults, and refuses what the schema does", async () => {
    const { spec } = await api.client.create(Automation, anAutomation({ metadata: key("a") }));
    expect(spec.suspend).toBe(false);
    const wrong = anAutomation({ metadata: key("b"), spec: { trigger: { type: "Never" } } as never });
    await expect(api.client.create(Automation, wrong)).rejects.toSatisfy(isInvalid);
  });

  it("changes an object under the version that a patch names alone", async () => {
    const { metadata } = await createLease("a");
    const { resourceVersion } = metadata;
    const patch = (holderIdentity: string): object => ({ metadata: { resourceVersion }, spec: { holderIdentity } });
    const changed = await api.client.patch(leases, key("a"), patch("b"));
    expect(changed.metadata.resourceVersion).not.toBe(resourceVersion);
    await expect(api.client.patch(leases, key("a"), patch("c"))).rejects.toSatisfy(isConflict);
    await expect(api.client.patch(leases, key("none"), patch("c"))).rejects.toSatisfy(isNotFound);
    expect((await api.client.get(leases, key("a"))).spec?.holderIdentity).toBe("b");
  });

  it("replaces an object of the version that it names alone", async () => {
    const stored = await api.client.create(leases, { metadata: key("a"), spec: { holderIdentity: "a" } });
    const replaced = await api.client.replace(leases, { ...stored, spec: { holderIdentity: "b" } });
    await expect(api.client.replace(leases, { ...stored, spec: { holderIdentity: "c" } })).rejects.toSatisfy(
      isConflict,
    );
    expect(replaced.spec?.holderIdentity).toBe("b");
  });

  it("keeps the version of an object that a patch leaves as it is, and removes what is null", async () => {
    const { metadata } = await createLease("a", { one: "1" });
    const same = await api.client.patch(leases, key("a"), { metadata: { labels: { one: "1" } } });
    expect(same.metadata.resourceVersion).toBe(metadata.resourceVersion);
    const without = await api.client.patch(leases, key("a"), { metadata: { labels: { one: null } } });
    expect(without.metadata.labels?.one).toBeUndefined();
  });

  it("keeps status and the rest apart, and counts generations of the spec", async () => {
    const automation = await api.client.create(Automation, anAutomation({ metadata: key("a") }));
    const status = { observedGeneration: 1, activeRuns: 2 };
    const observed = await api.client.patchStatus(Automation, automation, status);
    expect(observed.status?.activeRuns).toBe(2);
    expect(observed.metadata.generation).toBe(1);
    const both = { spec: { suspend: true }, status: { activeRuns: 5 } };
    const suspended = await api.client.patch(Automation, key("a"), both);
    expect(suspended.spec.suspend).toBe(true);
    expect(suspended.status?.activeRuns).toBe(2);
    expect(suspended.metadata.generation).toBe(2);
    const again = await api.client.patch(Automation, key("a"), { spec: { suspend: false } }, { subresource: "status" });
    expect(again.spec.suspend).toBe(true);
  });

  it("lets nothing change a verdict", async () => {
    const run = await createRun("a");
    const verdict = aVerdict(true, "Completed", new Date("2026-05-04T10:15:00Z"));
    const settled = await api.client.patchStatus(Run, run, { observedGeneration: 1, conditions: [verdict] });
    const other = { ...verdict, status: "False" as const, reason: "Failed" };
    const change = api.client.patchStatus(Run, settled, { observedGeneration: 1, conditions: [other] });
    await expect(change).rejects.toSatisfy(isInvalid);
  });

  it("deletes under preconditions", async () => {
    const { metadata } = await createRun("a");
    const changed = await api.client.patch(Run, key("a"), { metadata: { labels: { one: "1" } } });
    const stale = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
    await expect(api.client.delete(Run, key("a"), stale)).rejects.toSatisfy(isConflict);
    await expect(api.client.delete(Run, key("a"), { uid: "another" })).rejects.toSatisfy(isConflict);
    const { uid, resourceVersion } = changed.metadata;
    expect(await api.client.delete(Run, key("a"), { uid, resourceVersion })).toBe(true);
    expect(await api.client.delete(Run, key("a"))).toBe(false);
  });

  it("lists what a selector names", async () => {
    await createLease("a", { team: "x" });
    await createLease("b", { team: "y" });
    await createLease("c");
    const named = async (labelSelector: string): Promise<(string | undefined)[]> => {
      const { items } = await api.client.list(leases, { namespace: api.namespace, labelSelector });
      return items.map(({ metadata }) => metadata.name).sort();
    };
    expect(await named("team=x")).toEqual(["a"]);
    expect(await named("team!=x")).toEqual(["b", "c"]);
    expect(await named("team")).toEqual(["a", "b"]);
    expect(await named("!team")).toEqual(["c"]);
    expect(await named("team in (x,y)")).toEqual(["a", "b"]);
  });

  it("tells a watch what changes after its version, and when an object leaves its selection", async () => {
    await createLease("before", { team: "x" });
    const { resourceVersion } = await api.client.list(leases, { namespace: api.namespace });
    await createLease("a", { team: "x" });
    await createLease("b", { team: "y" });
    await api.client.patch(leases, key("a"), { spec: { holderIdentity: "b" } });
    await api.client.patch(leases, key("a"), { metadata: { labels: { team: "y" } } });
    await api.client.delete(leases, key("before"));
    expect(await watched({ labelSelector: "team=x", resourceVersion, count: 4 })).toEqual([
      "ADDED a",
      "MODIFIED a",
      "DELETED a",
      "DELETED before",
    ]);
  });

  async function watched(options: {
    labelSelector: string;
    resourceVersion: string;
    count: number;
  }): Promise<string[]> {
    const { labelSelector, resourceVersion, count } = options;
    const seen: string[] = [];
    const enough = new AbortController();
    const limits = { serverTimeoutSeconds: 30, idleTimeoutMs: 30_000, signal: enough.signal };
    const selection = { namespace: api.namespace, labelSelector };
    await api.client
      .watch(leases, { ...selection, ...limits, resourceVersion }, ({ type, object }) => {
        if (type === "ADDED" || type === "MODIFIED" || type === "DELETED")
          seen.push(`${type} ${object.metadata.name ?? ""}`);
        if (seen.length === count) enough.abort();
      })
      .catch((error: unknown) => {
        if (!enough.signal.aborted) throw error;
      });
    return seen;
  }
}
