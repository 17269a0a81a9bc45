import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ensurePki, readPem } from "../../../hack/lib/pki.ts";
import {
  annotations,
  gatewayTlsSecretName,
  group,
  labels,
  PrebuiltImage,
  type PrebuiltImageSpec,
  Prompt,
  Repository,
  SandboxClass,
  type SandboxClassSpec,
  Session,
} from "../../../src/api/v1alpha1/index.ts";
import { roleBindings, roles } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { pods, type Secret, secrets, serviceAccounts } from "../../../src/kube/core-resources.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { Kubelet } from "../../kills/kubelet.ts";
import { Operator } from "../../kills/operator.ts";
import { serviceAccountUser, untilAllowed } from "../../support/authorized.ts";
import { aPrompt, aRepository, aSandboxClass, aSecret, aSession } from "../../support/builders.ts";
import { testCluster } from "../../support/cluster.ts";
import { type FaultProxy, type SeenRequest, startFaultProxy } from "../../support/fault-proxy.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { clientOf, newNamespace } from "../../support/kube.ts";
import { grantProcess, newRelease } from "../../support/process-accounts.ts";
import { testPrograms } from "../../support/programs.ts";
import { eventually } from "../../support/runtime-world.ts";
import { TenantWorld } from "../../support/tenant-world.ts";

const credential = { username: "robot", password: "planted-password-of-the-git-server" };

/** Prints what setup.sh left, as what the prompt's result says. */
const showsWorkspace = ["bash", "-c", 'bash .runwright/show.sh 2>&1 || echo "no show.sh"'];

/** Controller, gateway, git server and each pod's two containers as processes of this machine, on a real API server. */
export class ImageWorld extends TenantWorld {
  readonly git: GitServer;
  readonly operator: Operator;
  readonly kubelet: Kubelet;
  /** What controller and gateway sent to the API server. */
  readonly proxy: FaultProxy;
  readonly directory: string;
  readonly sessionsNamespace: string;
  readonly #ca: string;
  readonly #close: () => Promise<void>;

  private constructor(
    parts: { client: KubeClient; namespace: string; git: GitServer; operator: Operator; kubelet: Kubelet } & Pick<
      ImageWorld,
      "directory" | "sessionsNamespace" | "proxy"
    > & { ca: string },
    close: () => Promise<void>,
  ) {
    super(parts.client, parts.namespace);
    this.git = parts.git;
    this.operator = parts.operator;
    this.kubelet = parts.kubelet;
    this.proxy = parts.proxy;
    this.directory = parts.directory;
    this.sessionsNamespace = parts.sessionsNamespace;
    this.#ca = parts.ca;
    this.#close = close;
  }

  /** `environment` is for controller and gateway, beside what both need. */
  static async make(environment: Readonly<Record<string, string>> = {}): Promise<ImageWorld> {
    const { kubeconfig } = testCluster();
    const connection = clientOf({ file: kubeconfig });
    const { client } = connection;
    const [namespace, release] = await Promise.all([newNamespace(client, "tenant"), newRelease(client)]);
    const { keysNamespace, sessionsNamespace } = release;
    const directory = await mkdtemp(join(tmpdir(), "runwright-images-"));
    const proxy = await startFaultProxy(testCluster());
    const operator = await Operator.start({
      program: testPrograms().operator,
      kubeconfigs: {
        controller: proxy.kubeconfig(await grantProcess(client, "controller", release)),
        gateway: proxy.kubeconfig(await grantProcess(client, "gateway", release)),
      },
      release: { namespace: release.namespace, keysNamespace, sessionsNamespace },
      directory,
      environment: { RUNWRIGHT_WATCH_NAMESPACES: namespace, RUNWRIGHT_LOG_LEVEL: "debug", ...environment },
    });
    const certificate = await client.get(secrets, { namespace: sessionsNamespace, name: gatewayTlsSecretName });
    const gatewayCa = Buffer.from(certificate.data?.["ca.crt"] ?? "", "base64").toString("utf8");
    const { tls, ca } = await makeCertificate(directory);
    const git = await startGitServer({ credential, certificate: tls });
    const broken: unknown[] = [];
    const kubelet = new Kubelet({
      client,
      namespace,
      release,
      directory,
      gateway: { url: `wss://localhost:${operator.sandboxPort}`, ca: gatewayCa },
      failed: (error) => void broken.push(error),
    });
    const parts = { client, namespace, git, operator, kubelet, proxy, directory, sessionsNamespace, ca };
    const world = new ImageWorld(parts, async () => {
      await kubelet.stop();
      await operator.stop();
      await proxy.close();
      await git.close();
      await connection.close();
      await rm(directory, { recursive: true, force: true });
      if (broken.length > 0) throw new Error(`the kubelet failed: ${String(broken[0])}`);
    });
    await world.#prepare();
    return world;
  }

  close(): Promise<void> {
    return this.#close();
  }

  override named(name: string): { namespace: string; name: string } {
    return super.named(name);
  }

  async #prepare(): Promise<void> {
    const { client, namespace } = this;
    await this.createClass(namespace);
    await client.create(serviceAccounts, { metadata: this.named("runner") });
    const rules = [
      { apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"] },
      { apiGroups: [group], resources: ["repositories", "environments"], verbs: ["get"] },
    ];
    await client.create(roles, { metadata: this.named("runner"), rules });
    await client.create(roleBindings, {
      metadata: this.named("runner"),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "runner" },
      subjects: [{ kind: "ServiceAccount", name: "runner", namespace }],
    });
    await untilAllowed(serviceAccountUser(namespace, "runner"), rules, namespace);
    await this.createSecret("git-ca", { "ca.crt": this.#ca });
    const { username, password } = credential;
    await this.createSecret("git-credential", { username, password }, { type: "kubernetes.io/basic-auth" });
  }

  async createClass(name: string, spec: Partial<SandboxClassSpec> = {}): Promise<void> {
    const agent = { command: showsWorkspace, protocol: "exec" as const, permissionRequests: "Reject" as const };
    await this.client.create(SandboxClass, aSandboxClass(name, { agent, ...spec }));
  }

  async createSecret(name: string, data: Record<string, string>, more: object = {}): Promise<Secret> {
    return this.client.create(secrets, aSecret(data, { ...this.named(name), ...more }));
  }

  /** A Repository of that name, with these files on its branch main. */
  async createRepository(
    name: string,
    files: Record<string, string>,
    spec: Partial<Repository["spec"]> = {},
  ): Promise<Repository> {
    const url = await this.git.addRepository(name, files);
    const own = { url, caSecretRef: { name: "git-ca" }, credentialSecretRef: { name: "git-credential" }, ...spec };
    return this.client.create(Repository, aRepository(name, { metadata: this.named(name), spec: own }));
  }

  /** Pushes a commit that changes one file. */
  async push(repository: string, file: string, text: string): Promise<string> {
    const work = await mkdtemp(join(this.directory, "push-"));
    await writeFile(join(work, "text"), text);
    const git = (...args: string[]): Promise<string> => this.git.git(repository, ...args);
    const blob = (await git("hash-object", "-w", join(work, "text"))).trim();
    await git("read-tree", "main");
    await git("update-index", "--add", "--cacheinfo", `100644,${blob},${file}`);
    const tree = (await git("write-tree")).trim();
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    const commit = (await git(...author, "commit-tree", "-p", "main", "-m", `change ${file}`, tree)).trim();
    await git("update-ref", "refs/heads/main", commit);
    return commit;
  }

  /** The writes about an image since a mark, without Events, reviews, and renewals of leadership and of the gateway's own Lease. */
  writesSince(mark: number, { metadata: { name = "", uid = "" } }: PrebuiltImage): string[] {
    return this.proxy.seen
      .slice(mark)
      .filter(({ isWrite, path }) => isWrite && !/\/(events|tokenreviews|subjectaccessreviews)(\?|$)/.test(path))
      .filter(({ path, method }) => path.includes(uid) || path.includes(name) || isCreation(method, path, this))
      .map(aboutOf);
  }

  /** Has the controller look at an image now, as at the next half hour. */
  async look(name: string): Promise<void> {
    await this.client.patch(PrebuiltImage, this.named(name), { spec: { suspend: true } });
    const image = await this.untilImage(
      name,
      "is suspended",
      (one) => one.status?.observedGeneration === one.metadata.generation,
    );
    const status = { ...image.status, nextCheckTime: new Date(0).toISOString() };
    await this.client.patchStatus(PrebuiltImage, image, status);
    await this.client.patch(PrebuiltImage, this.named(name), { spec: { suspend: false } });
  }

  async requestBuild(name: string, value: string): Promise<void> {
    const metadata = { annotations: { [annotations.rebuildRequestedAt]: value } };
    await this.client.patch(PrebuiltImage, this.named(name), { metadata });
  }

  /** Bundles and pods that belong to this image; Leases go with their bundle where garbage is collected. */
  async leftOf({ metadata: { uid = "" } }: PrebuiltImage): Promise<string[]> {
    const [bundles, sandboxes] = await Promise.all([
      this.client.list(secrets, { namespace: this.sessionsNamespace }),
      this.client.list(pods, { namespace: this.namespace }),
    ]);
    const all: KubeObject[] = [...bundles.items, ...sandboxes.items];
    return all
      .filter(({ metadata }) => metadata.labels?.[labels.ownerUid] === uid)
      .map(({ metadata }) => metadata.name ?? "");
  }

  createImage(name: string, spec: Partial<PrebuiltImageSpec> = {}): Promise<PrebuiltImage> {
    const own = { sandboxClassName: this.namespace, serviceAccountName: "runner", suspend: false, ...spec };
    return this.client.create(PrebuiltImage, { metadata: this.named(name), spec: own });
  }

  image(name: string): Promise<PrebuiltImage> {
    return this.client.get(PrebuiltImage, this.named(name));
  }

  untilImage(name: string, what: string, isSo: (image: PrebuiltImage) => boolean): Promise<PrebuiltImage> {
    let last: PrebuiltImage | undefined;
    return eventually(`image ${name} ${what}`, async () => {
      last = await this.image(name);
      return isSo(last) ? last : undefined;
    }).catch(async (error: unknown) => {
      throw new Error([String(error), JSON.stringify(last?.status, null, 1), ...(await this.#latest(name))].join("\n"));
    });
  }

  /** What the controller said of an image last, and what it and the gateway sent about it. */
  async #latest(name: string): Promise<string[]> {
    const log = await readFile(join(this.directory, "controller.log"), "utf8");
    const requests = this.proxy.seen.map(({ method, path, status }) => `${method} ${path} ${status}`);
    const of = (lines: string[]): string[] => lines.filter((line) => line.includes(name)).slice(-40);
    return [`${this.proxy.watches()} watches are open`, ...of(log.split("\n")), ...of(requests)];
  }

  /** A session on a Repository or Environment with one prompt; resolves with both once the prompt has ended. */
  async runSession(
    name: string,
    target: Session["spec"]["target"],
    spec: Partial<Session["spec"]> = {},
  ): Promise<{ session: Session; prompt: Prompt; text: string }> {
    const own = { target, sandboxClassName: this.namespace, idleTimeoutSeconds: 600, ...spec };
    await this.client.create(Session, aSession({ metadata: this.named(name), spec: own }));
    await this.client.create(
      Prompt,
      aPrompt({ metadata: this.named(`${name}-1`), spec: { sessionRef: { name }, text: "Show." } }),
    );
    const prompt = await eventually(`prompt of ${name} has ended`, async () => {
      const found = await this.client.get(Prompt, this.named(`${name}-1`));
      return found.status?.completionTime === undefined ? undefined : found;
    }).catch(async (error: unknown) => {
      const session = await this.client.get(Session, this.named(name));
      throw new Error(`${String(error)}: ${JSON.stringify(session.status, null, 1)}`);
    });
    const session = await this.client.get(Session, this.named(name));
    return { session, prompt, text: prompt.status?.result?.summary ?? "" };
  }
}

/** Pods and bundles are created in their namespaces, by a name in the body. */
function isCreation(method: string, path: string, { namespace, sessionsNamespace }: ImageWorld): boolean {
  if (method !== "POST") return false;
  return path.includes(`/namespaces/${namespace}/pods`) || path.includes(`/namespaces/${sessionsNamespace}/`);
}

/** `POST pods`, `PATCH prebuiltimages/status`: what a write was about, without names. */
function aboutOf({ method, path }: SeenRequest): string {
  const [, plural = "", , subresource = ""] = /\/namespaces\/[^/]+\/([^/?]+)(\/[^/?]+)?(\/[^?]+)?/.exec(path) ?? [];
  return `${method} ${plural}${subresource}`;
}

async function makeCertificate(directory: string): Promise<{ ca: string; tls: { cert: string; key: string } }> {
  const folder = join(directory, "pki");
  await mkdir(folder);
  const extension = "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth";
  await ensurePki(folder, [{ name: "git", subject: "/CN=git", extension }]);
  const [ca = "", cert = "", key = ""] = await Promise.all(
    ["ca.crt", "git.crt", "git.key"].map((file) => readPem(folder, file)),
  );
  return { ca, tls: { cert, key } };
}
