import { expect, it } from "vitest";
import { aPrompt, aRun, aSession } from "../../test/support/builders.ts";
import type { StoredMark } from "../domain/archive/stored-mark.ts";
import { FakeCollection } from "../kube/fake-collection.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import type { KubeObject, Resource } from "../lib/resource.ts";
import { ArchiveGuard } from "./archive-guard.ts";
import { kindInformers } from "./kind-informers.ts";

const namespace = "team";

it("has all of a Run when the mark is past the Run, each of its Sessions and each of their Prompts", async () => {
  const collections = { Session: new FakeCollection<KubeObject>(), Prompt: new FakeCollection<KubeObject>() };
  const run = aRun({ metadata: { namespace, name: "r", uid: "r", resourceVersion: "200" } });
  const ofRun = { labels: { "runwright.dev/run-uid": "r" } };
  const session = collections.Session.put(aSession({ metadata: { namespace, name: "s", ...ofRun } }));
  collections.Session.put(aSession({ metadata: { namespace, name: "another's" } }));
  const spec = { sessionRef: { name: "s" } };
  collections.Prompt.put(aPrompt({ metadata: { namespace, name: "s-1" }, spec }));
  const prompt = collections.Prompt.put(aPrompt({ metadata: { namespace, name: "s-2" }, spec }));
  const of = ({ kind }: Resource<KubeObject>) => collections[kind as keyof typeof collections];
  const client = {
    list: (resource, options) => of(resource).list(resource, options),
    watch: (resource, options, sink) => of(resource).watch(resource, options, sink),
  } as Parameters<typeof kindInformers>[0]["client"];
  const { sessions, prompts } = kindInformers({ client, clock: new FakeClock(), random: { fraction: () => 0 } });
  for (const informer of [sessions, prompts]) informer.start();
  await Promise.all([sessions.synced(), prompts.synced()]);

  const at = { runs: "200", sessions: session.metadata.resourceVersion!, prompts: prompt.metadata.resourceVersion! };
  const below = (kind: keyof StoredMark): StoredMark => ({ ...at, [kind]: String(Number(at[kind]) - 1) });
  const hasAll = (mark: StoredMark | undefined) => new ArchiveGuard({ sessions, prompts }, () => mark).hasAll(run);
  expect(hasAll(at)).toBe(true);
  expect([undefined, below("runs"), below("sessions"), below("prompts")].map(hasAll)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  await Promise.all([sessions.stop(), prompts.stop()]);
});
