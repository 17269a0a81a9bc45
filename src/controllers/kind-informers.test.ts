import { expect, it } from "vitest";
import { aRun, aSession, anAutomation } from "../../test/support/builders.ts";
import { FakeCollection } from "../kube/fake-collection.ts";
import type { Informer } from "../kube/informer.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import type { KubeObject } from "../lib/resource.ts";
import { indexNames, kindInformers, uidKeyOf } from "./kind-informers.ts";

const names = { automation: "runwright.dev/automation-uid", run: "runwright.dev/run-uid" };

/** Names of those of the objects that an index has for the owner. */
async function belonging<T extends KubeObject>(
  objects: readonly T[],
  pick: (informers: ReturnType<typeof kindInformers>) => Informer<T>,
  [index, owner]: [string, KubeObject],
): Promise<(string | undefined)[]> {
  const client = new FakeCollection<KubeObject>();
  for (const object of objects) client.put(object);
  const informer = pick(kindInformers({ client: client, clock: new FakeClock(), random: { fraction: () => 0 } }));
  informer.start();
  await informer.synced();
  const found = informer.byIndex(index, uidKeyOf(owner)).map(({ metadata }) => metadata.name);
  await informer.stop();
  return found.toSorted();
}

it("Runs belong to the automation of their namespace that their spec names, whatever labels say", async () => {
  const automation = anAutomation({ metadata: { name: "triage", namespace: "team", uid: "a1" } });
  const run = (name: string, metadata: object, uid?: string): ReturnType<typeof aRun> =>
    aRun({ metadata: { name, namespace: "team", ...metadata }, spec: { automationRef: { name: "triage", uid } } });
  const label = { labels: { [names.automation]: "a1" } };
  const runs = [
    run("by-uid", {}, "a1"),
    run("by-label", label),
    run("relabelled", { labels: { [names.automation]: "a2" } }, "a1"),
    run("of-another", label, "a2"),
    run("elsewhere", { ...label, namespace: "other" }, "a1"),
    run("labelled-elsewhere", { ...label, namespace: "other" }),
  ];
  const found = await belonging(runs, ({ runs }) => runs, [indexNames.automationUid, automation]);
  expect(found).toEqual(["by-label", "by-uid", "relabelled"]);
});

it("Sessions belong to Runs and parents of their namespace", async () => {
  const owner = { metadata: { name: "o", namespace: "team", uid: "o1" } };
  const ownerReferences = [{ apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "o", uid: "o1" }];
  const metadata = { labels: { [names.run]: "o1" }, ownerReferences };
  const sessions = ["team", "other"].map((namespace) =>
    aSession({ metadata: { name: `in-${namespace}`, namespace, ...metadata } }),
  );
  for (const index of [indexNames.runUid, indexNames.parentUid]) {
    expect(await belonging(sessions, ({ sessions: all }) => all, [index, owner])).toEqual(["in-team"]);
  }
});
