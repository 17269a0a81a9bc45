import { expect, it } from "vitest";
import { aPrompt, aPullRequest, aRun, aSession } from "../../test/support/builders.ts";
import type { StoredMark } from "../domain/archive/stored-mark.ts";
import { FakeCollection } from "../kube/fake-collection.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import type { KubeObject, Resource } from "../lib/resource.ts";
import { ArchiveGuard, archivedPullRequests } from "./archive-guard.ts";
import { kindInformers } from "./kind-informers.ts";

const namespace = "team";

it("has all of a Run when the mark is past the Run, each session of its family and each of their Prompts and pull requests", async () => {
  const collections = {
    Session: new FakeCollection<KubeObject>(),
    Prompt: new FakeCollection<KubeObject>(),
    PullRequest: new FakeCollection<KubeObject>(),
  };
  const run = aRun({ metadata: { namespace, name: "r", uid: "r", resourceVersion: "200" } });
  const ofRun = { labels: { "runwright.dev/run-uid": "r" } };
  collections.Session.put(aSession({ metadata: { namespace, name: "s", uid: "s", ...ofRun } }));
  const owner = { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "s", uid: "s" };
  const child = { namespace, name: "child", uid: "child", ownerReferences: [owner] };
  const session = collections.Session.put(aSession({ metadata: child }));
  collections.Session.put(aSession({ metadata: { namespace, name: "another's" } }));
  const spec = { sessionRef: { name: "s" } };
  collections.Prompt.put(aPrompt({ metadata: { namespace, name: "s-1" }, spec }));
  collections.Prompt.put(aPrompt({ metadata: { namespace, name: "s-2" }, spec }));
  const prompt = collections.Prompt.put(
    aPrompt({ metadata: { namespace, name: "child-1" }, spec: { sessionRef: { name: "child" } } }),
  );
  const sessionOf = { sessionRef: { name: "s", uid: "s" } };
  const pullRequest = collections.PullRequest.put(
    aPullRequest({ metadata: { namespace, name: "pr" }, spec: sessionOf }),
  );
  collections.PullRequest.put(aPullRequest({ metadata: { namespace: "other", name: "pr" }, spec: sessionOf }));
  const of = ({ kind }: Resource<KubeObject>) => collections[kind as keyof typeof collections];
  const client = {
    list: (resource, options) => of(resource).list(resource, options),
    watch: (resource, options, sink) => of(resource).watch(resource, options, sink),
  } as Parameters<typeof kindInformers>[0]["client"];
  const deps = { client, clock: new FakeClock(), random: { fraction: () => 0 } };
  const { sessions, prompts } = kindInformers(deps);
  const informers = { sessions, prompts, pullRequests: archivedPullRequests(deps, {}) };
  for (const informer of Object.values(informers)) informer.start();
  await Promise.all(Object.values(informers).map((informer) => informer.synced()));

  const versionOf = ({ metadata }: KubeObject): string => metadata.resourceVersion!;
  const at: StoredMark = {
    runs: "200",
    sessions: versionOf(session),
    prompts: versionOf(prompt),
    pullRequests: versionOf(pullRequest),
  };
  const below = (kind: keyof StoredMark): StoredMark => ({ ...at, [kind]: String(Number(at[kind]) - 1) });
  const hasAll = (mark: StoredMark | undefined) => new ArchiveGuard(informers, () => mark).hasAll(run);
  expect(hasAll(at)).toBe(true);
  const kinds = Object.keys(at) as (keyof StoredMark)[];
  expect([undefined, ...kinds.map(below)].map(hasAll)).toEqual([false, ...kinds.map(() => false)]);
  await Promise.all(Object.values(informers).map((informer) => informer.stop()));
});
