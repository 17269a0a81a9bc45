import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { apiVersion, type Condition, kinds } from "../../src/api/v1alpha1/index.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { until } from "../support/kube.ts";
import { parseManifests } from "../support/manifests.ts";
import { openStage, type Stage } from "./support/tenant.ts";
import { apply, kubectl } from "./support/workbench.ts";

// What people find in the samples and on the pages of the kinds, with the git server of this cluster in the place of example.com,
// is applied to the release that the chart installed and becomes Ready.

interface Document extends KubeObject {
  kind: string;
  metadata: { name: string; namespace?: string };
  spec: Record<string, unknown>;
  status?: { conditions?: Condition[] };
}

/** What never becomes Ready here, and why. */
const without: Readonly<Record<string, string>> = {
  Conversation: "the connector makes it, which is off by default",
  DeliveryLog: "the ingress makes it",
  IntegrationEvent: "the ingress makes it for an Integration",
  PullRequest: "the gateway makes it for an Integration",
  Integration: "the connector is off by default",
  Prompt: "it ends and is never Ready",
  Run: "it ends and is never Ready",
};

const root = join(import.meta.dirname, "..", "..");
const read = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((path) => readFileSync(join(root, path), "utf8"));
const blocksOf = (page: string): string[] =>
  [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = ""]) => block);
const parse = (texts: readonly string[]): Document[] => texts.flatMap(parseManifests) as Document[];

const sources = {
  "manifests/samples": parse(read("manifests/samples/*.yaml")),
  "docs/kinds": parse(read("docs/kinds/*.md").flatMap(blocksOf)),
};

let stage: Stage;
beforeAll(async () => {
  stage = await openStage("documents");
});
afterAll(() => stage.close());

describe.each(Object.entries(sources))("%s", (source, documents) => {
  const place = `documents-${source.replace(/.*\//, "")}`;
  const ours = documents.filter((object) => object.apiVersion === apiVersion && !(object.kind in without));
  const names = ours.map(({ kind, metadata }) => ({ kind, name: metadata.name }));

  beforeAll(async () => {
    await apply(stage.bench, surroundings(place));
    await apply(
      stage.bench,
      ours.map((object) => relocated(object, place)),
    );
  });
  afterAll(async () => {
    const clusterScoped = [`sandboxclass/${place}`, `clusterrole/${place}`, `clusterrolebinding/${place}`];
    await kubectl(stage.bench, [
      "delete",
      "--wait=false",
      "--ignore-not-found",
      `namespace/${place}`,
      ...clusterScoped,
    ]);
  });

  it.each(names)("$kind $name is Ready", async (named) => {
    let ready: Condition | undefined;
    await until("it is Ready", async () => {
      ready = await readyOf(named, place);
      return ready?.status === "True";
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; it says ${JSON.stringify(ready)}`);
    });
  });
});

it("have each kind that people write", () => {
  const shown = new Set(Object.values(sources).flatMap((documents) => documents.map(({ kind }) => kind)));
  expect(kinds.map(({ kind }) => kind).filter((kind) => !shown.has(kind))).toEqual([]);
});

async function readyOf(
  { kind, name }: { kind: string; name: string },
  namespace: string,
): Promise<Condition | undefined> {
  const resource = kinds.find((one) => one.kind === kind)!;
  const key = resource.namespaced ? { namespace, name } : { name: namespace };
  const { status } = (await stage.bench.client.get(resource, key)) as unknown as Document;
  return status?.conditions?.find(({ type }) => type === "Ready");
}

/** The object in a namespace and a class of this test's own. */
function relocated({ kind, metadata, spec }: Document, place: string): object {
  const isNamespaced = kinds.find((one) => one.kind === kind)?.namespaced;
  const own = { apiVersion, kind, metadata: isNamespaced ? { ...metadata, namespace: place } : { name: place } };
  if (kind === "Repository") return { ...own, spec: { ...spec, ...atGit() } };
  if (kind === "SandboxClass") return { ...own, spec: { ...spec, ...smallClass() } };
  const named = JSON.parse(JSON.stringify(spec).replaceAll('"standard"', JSON.stringify(place))) as object;
  return { ...own, spec: kind === "Session" ? { ...named, sandboxClassName: place } : named };
}

function atGit(): object {
  return {
    url: stage.git.url,
    branch: undefined,
    credentialSecretRef: { name: "checkout-git" },
    caSecretRef: { name: "authority" },
  };
}

/** Of the image that the release has, and no class of others' sessions. */
function smallClass(): object {
  return {
    default: false,
    image: undefined,
    agent: { command: ["true"], protocol: "exec" },
    resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } },
    workspaceSizeLimit: "256Mi",
    maxWarmSandboxes: 3,
    egress: { internet: false, allow: stage.git.addresses.map((cidr) => ({ cidr })) },
  };
}

/** What the documents name and do not show. */
function surroundings(place: string): object[] {
  const { git } = stage;
  const rbac = "rbac.authorization.k8s.io";
  const inPlace = (name: string): object => ({ name, namespace: place });
  const accounts = ["automation-runner", "builder", "runner", "sandbox"];
  // The controller makes runwright-sandbox for sessions that name no account.
  const subjects = [...accounts, "runwright-sandbox"].map((name) => ({
    kind: "ServiceAccount",
    name,
    namespace: place,
  }));
  const bound = (kind: "Role" | "ClusterRole", metadata: object, rules: object[]): object[] => [
    { apiVersion: `${rbac}/v1`, kind, metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: rbac, kind, name: place },
      subjects,
    },
  ];
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: place, labels: restricted } },
    ...accounts.map((name) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: inPlace(name) })),
    ...bound("Role", inPlace(place), [
      { apiGroups: ["runwright.dev"], resources: ["repositories", "environments"], verbs: ["get"] },
      { apiGroups: ["runwright.dev"], resources: ["skills"], verbs: ["list"] },
    ]),
    ...bound("ClusterRole", { name: place }, [
      { apiGroups: ["runwright.dev"], resources: ["sandboxclasses"], resourceNames: [place], verbs: ["use"] },
    ]),
    { apiVersion: "v1", kind: "Secret", metadata: inPlace("authority"), stringData: { "ca.crt": git.authority } },
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/basic-auth",
      metadata: inPlace("checkout-git"),
      stringData: git.credential,
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: inPlace("code-review"),
      data: { "checklist.md": "Read it twice." },
    },
    ...["checkout", "checkout-ui"].map((name) => ({
      apiVersion,
      kind: "Repository",
      metadata: inPlace(name),
      spec: atGit(),
    })),
  ];
}
