import { expect, it } from "vitest";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { run } from "../../hack/lib/command.ts";
import { ensureHelm } from "../../hack/toolchain/helm.ts";
import { testCluster } from "../support/cluster.ts";
import { chart, imageRepository } from "./support/render.ts";

/** What helm tells the person who installs. */
async function notes(values: Record<string, unknown>, name = "rw", namespace = "tools"): Promise<string> {
  const helm = await ensureHelm(progressOnStderr("chart"));
  const given = { "image.repository": imageRepository, ...values };
  const sets = Object.entries(given).flatMap(([key, value]) => ["--set-json", `${key}=${JSON.stringify(value)}`]);
  const args = [
    "install",
    name,
    chart,
    "--namespace",
    namespace,
    "--dry-run=client",
    "--take-ownership",
    "--output",
    "json",
    ...sets,
  ];
  const answer = await run(helm, [...args, "--kubeconfig", testCluster().kubeconfig]);
  return (JSON.parse(answer) as { info: { notes: string } }).info.notes;
}

it("what an uninstall keeps is named", async () => {
  expect(await notes({})).not.toContain("PersistentVolumeClaim");
  const claim = "gateway.blobStore.directory.persistentVolumeClaim";
  const inClaim = { "gateway.blobStore.directory.volume": "persistentVolumeClaim" };
  const said = await notes(inClaim);
  expect(said).toContain("namespace tools-rw-keys");
  expect(said).toContain("PersistentVolumeClaim rw-gateway-blobs");
  expect(said).toContain("PersistentVolumeClaim rw-gateway-archive");
  const existing = {
    [`${claim}.existingClaim`]: "ours",
    "archive.embedded.persistentVolumeClaim.existingClaim": "ours, too",
  };
  expect(await notes({ ...inClaim, ...existing })).not.toContain("PersistentVolumeClaim");
});

it("a blob store that goes with its pod is warned of, and no other", async () => {
  const warning = "gateway.blobStore.directory.volume is emptyDir";
  expect(await notes({})).toContain(warning);
  expect(await notes({ "gateway.blobStore.directory.volume": "persistentVolumeClaim" })).not.toContain(warning);
  const s3 = { bucket: "blobs", credentialsSecretName: "s3-keys" };
  expect(await notes({ "gateway.blobStore.type": "s3", "gateway.blobStore.s3": s3 })).not.toContain(warning);
});

const insideOnly = "known inside the cluster only";

it("an address that only the cluster knows is said to be one", async () => {
  const said = await notes({});
  expect(said).toContain("http://rw-ingress.tools.svc/webhooks/automation/NAMESPACE.AUTOMATION");
  expect(said).toContain(insideOnly);
});

it.each([
  { name: "hosts", values: { "webhook.hosts": ["hooks.example.com"] } },
  { name: "a base URL", values: { baseURL: "https://hooks.example.com" } },
])("an address by $name is not said to be the cluster's alone", async ({ values }) => {
  const said = await notes(values);
  expect(said).toContain("https://hooks.example.com/webhooks/automation/NAMESPACE.AUTOMATION");
  expect(said).not.toContain(insideOnly);
});

it.each([
  { name: "runwright", namespace: "runwright-system", flags: "" },
  { name: "rw", namespace: "runwright-system", flags: " --release rw --release-namespace runwright-system" },
  { name: "runwright", namespace: "tools", flags: " --release runwright --release-namespace tools" },
])(
  "the notes name to the plugin release $name in $namespace where it would not find it",
  async ({ name, namespace, flags }) => {
    expect(await notes({}, name, namespace)).toContain(`key create NAMESPACE/AUTOMATION${flags}\n`);
  },
);

it("the first Run's commands name the release, its namespace and that of the Run", async () => {
  const said = await notes({ watchNamespaces: ["shop", "other"], imagePullSecrets: [{ name: "registry" }] });
  expect(said).toContain("kubectl -n tools get configmap rw-first-run -o");
  expect(said).toContain("kubectl -n shop wait run/hello ");
  expect(said).toContain("with Secret registry of namespace shop");
});
