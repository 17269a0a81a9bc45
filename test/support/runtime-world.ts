import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { ensurePki, readPem } from "../../hack/lib/pki.ts";
import type { Bundle } from "../../src/api/runtime/bundle.ts";
import type { GitHubAppAccess } from "../../src/api/runtime/github-apps.ts";
import { sandboxAudience } from "../../src/api/runtime/pod-contract.ts";
import type { PromptImage } from "../../src/api/v1alpha1/prompt-image.ts";
import {
  attemptName,
  bundleDataKey,
  githubAppsDataKey,
  gatewayServerName,
  gatewayTlsSecretName,
  labels,
} from "../../src/api/v1alpha1/names.ts";
import { makeNamespace, testApi } from "./cluster.ts";
import { labelsOf } from "./policies-of-any-release.ts";
import { nextLookMs } from "./poll.ts";

interface Stored {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    annotations?: Record<string, string>;
  };
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** A release with its namespaces and the gateway's certificate, and a tenant namespace, on the test's API server. */
export interface World {
  release: { name: string; namespace: string; keysNamespace: string; sessionsNamespace: string };
  tenant: string;
  /** The authority that signed {@link tls}, PEM. */
  ca: string;
  /** For `localhost` and the gateway. */
  tls: { cert: string; key: string };
  /** A folder that goes with the world. */
  directory: string;
  /** Where the world's gateways keep blobs. */
  blobDirectory: string;
  close(): Promise<void>;
}

export async function makeWorld(options: { certificate?: boolean } = {}): Promise<World> {
  const namespace = await makeNamespace("system", labelsOf("release"));
  const release = {
    name: "runwright",
    namespace,
    keysNamespace: await makeNamespace("keys", labelsOf("keys")),
    sessionsNamespace: await makeNamespace("sessions", labelsOf("sessions")),
  };
  const directory = await mkdtemp(join(tmpdir(), "runwright-world-"));
  const names = `DNS:localhost,IP:127.0.0.1,DNS:${gatewayServerName(release)}`;
  const extension = `subjectAltName=${names}\nextendedKeyUsage=serverAuth`;
  await ensurePki(directory, [{ name: "gateway", subject: "/CN=gateway", extension }]);
  const [ca, cert, key] = await Promise.all(
    ["ca.crt", "gateway.crt", "gateway.key"].map((file) => readPem(directory, file)),
  );
  const world: World = {
    release,
    tenant: await makeNamespace("tenant"),
    ca: ca!,
    tls: { cert: cert!, key: key! },
    directory,
    blobDirectory: join(directory, "blobs"),
    close: () => rm(directory, { recursive: true, force: true }),
  };
  if (options.certificate !== false) await putCertificate(world, world.tls);
  await create(`/api/v1/namespaces/${world.tenant}/serviceaccounts`, { metadata: { name: "sandbox" } });
  return world;
}

export async function putCertificate({ release, ca }: World, tls: { cert: string; key: string }): Promise<void> {
  const path = `/api/v1/namespaces/${release.sessionsNamespace}/secrets/${gatewayTlsSecretName}`;
  await testApi().apply(path, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: gatewayTlsSecretName, namespace: release.sessionsNamespace },
    data: { "tls.crt": base64(tls.cert), "tls.key": base64(tls.key), "ca.crt": base64(ca) },
  });
}

/** A Session and the pod that is its sandbox, as the controller would have made them. */
export interface SandboxFixture {
  session: string;
  sessionUid: string;
  podUid: string;
  attempt: number;
  /** A new token of the pod, as the kubelet would project it. */
  token(audience?: string): Promise<string>;
  /** Changes the session's status. */
  status(patch: object): Promise<void>;
  /** Writes the attempt's pod into the status. */
  record(): Promise<void>;
  /** Makes a Prompt and names it as the session's current one. */
  prompt(text: string, images?: readonly PromptImage[]): Promise<{ name: string; uid: string }>;
  /** Fails a Prompt as the controller does. */
  settle(prompt: string, reason: string): Promise<void>;
  /** Deletes the Session. */
  remove(): Promise<void>;
  lease(): Promise<Stored | undefined>;
  changeLease(patch: object): Promise<void>;
  removeLease(): Promise<void>;
  /** An annotation of the Lease, named without our prefix, once it is there. */
  noted(annotation: string): Promise<string>;
  readPrompt(name: string): Promise<Stored>;
  /** The status of a prompt once it has ended. */
  settled(prompt: string): Promise<Record<string, unknown>>;
}

export async function makeSandbox(
  world: World,
  options: {
    bundle?: Partial<Bundle>;
    githubApps?: readonly GitHubAppAccess[];
    attempt?: number;
    recorded?: boolean;
    /** Of the Session; with one, its cost is noted each 4 seconds instead of each minute. */
    maxSessionCostUsd?: string;
  } = {},
): Promise<SandboxFixture> {
  const { attempt = 1, recorded = true, maxSessionCostUsd } = options;
  const name = `s-${randomUUID().slice(0, 8)}`;
  const sessions = `/apis/runwright.dev/v1alpha1/namespaces/${world.tenant}/sessions`;
  const prompts = `/apis/runwright.dev/v1alpha1/namespaces/${world.tenant}/prompts`;
  const session = await create(sessions, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Session",
    metadata: { name },
    spec: {
      serviceAccountName: "sandbox",
      ...(maxSessionCostUsd === undefined ? {} : { settings: { maxSessionCostUsd } }),
    },
  });
  const sessionUid = session.metadata.uid;
  const pod = await makePod(world, `${name}-${attempt}`);
  const secret = attemptName(sessionUid, attempt);
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${world.release.sessionsNamespace}/leases/${secret}`;
  await create(`/api/v1/namespaces/${world.release.sessionsNamespace}/secrets`, {
    metadata: {
      name: secret,
      labels: {
        [labels.sessionUid]: sessionUid,
        [labels.sessionName]: name,
        [labels.sessionNamespace]: world.tenant,
      },
    },
    data: {
      [bundleDataKey]: base64(JSON.stringify(makeBundle(world, { name, uid: sessionUid, attempt }, options.bundle))),
      ...(options.githubApps && {
        [githubAppsDataKey]: base64(JSON.stringify({ version: 1, repositories: options.githubApps })),
      }),
    },
  });
  const fixture: SandboxFixture = {
    session: name,
    sessionUid,
    podUid: pod.uid,
    attempt,
    token: (audience = sandboxAudience(world.release)) => requestToken(world, pod, audience),
    status: (patch) => change(`${sessions}/${name}/status`, { status: patch }),
    record: () =>
      fixture.status({
        sandbox: { attempt, podName: pod.name, podUID: pod.uid, createTime: new Date().toISOString() },
      }),
    async prompt(text, images) {
      const prompt = await create(prompts, {
        apiVersion: "runwright.dev/v1alpha1",
        kind: "Prompt",
        metadata: { name: `${name}-${randomUUID().slice(0, 8)}` },
        spec: { sessionRef: { name }, text, images },
      });
      const now = new Date().toISOString();
      const reference = { name: prompt.metadata.name, uid: prompt.metadata.uid };
      await fixture.status({ currentPrompt: { ...reference, startTime: now, deadline: now } });
      return reference;
    },
    settle: (prompt, reason) =>
      change(`${prompts}/${prompt}/status`, {
        status: {
          conditions: [
            { type: "Succeeded", status: "False", reason, message: "", lastTransitionTime: new Date().toISOString() },
          ],
        },
      }),
    async remove() {
      await testApi().send("DELETE", `${sessions}/${name}`);
    },
    lease: () => find(lease),
    changeLease: (patch) => change(lease, patch),
    async removeLease() {
      await testApi().send("DELETE", lease);
    },
    noted: (annotation) =>
      eventually(
        annotation,
        async () => (await fixture.lease())?.metadata.annotations?.[`runwright.dev/${annotation}`],
      ),
    readPrompt: async (prompt) => (await find(`${prompts}/${prompt}`))!,
    settled: (prompt) =>
      eventually("settled", async () => {
        const { status } = await fixture.readPrompt(prompt);
        return status?.completionTime ? status : undefined;
      }),
  };
  if (recorded) await fixture.record();
  return fixture;
}

/** A real Pod object; nothing schedules it. */
export async function makePod(world: World, name: string): Promise<{ name: string; uid: string }> {
  const { metadata } = await create(`/api/v1/namespaces/${world.tenant}/pods`, {
    metadata: { name },
    spec: {
      serviceAccountName: "sandbox",
      automountServiceAccountToken: false,
      containers: [{ name: "runtime", image: "example.invalid/none" }],
    },
  });
  return { name: metadata.name, uid: metadata.uid };
}

/** A token of the tenant's `sandbox` account, bound to a pod if one is given. */
export async function requestToken(
  world: World,
  pod: { name: string; uid: string } | undefined,
  audience: string | undefined,
): Promise<string> {
  const bound = pod ? { boundObjectRef: { apiVersion: "v1", kind: "Pod", ...pod } } : {};
  const spec = { expirationSeconds: 3600, audiences: audience === undefined ? [] : [audience], ...bound };
  const answer = await create(`/api/v1/namespaces/${world.tenant}/serviceaccounts/sandbox/token`, { spec });
  return (answer.status as { token: string }).token;
}

/** What is stored at a path; undefined when nothing is. */
export async function find(path: string): Promise<Stored | undefined> {
  const { status, body } = await testApi().send("GET", path);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  return body as Stored;
}

export async function create(path: string, object: object): Promise<Stored> {
  const { status, body } = await testApi().send("POST", path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
  return body as Stored;
}

export async function change(path: string, patch: object): Promise<void> {
  const { status, body } = await testApi().send("PATCH", path, patch);
  if (status !== 200) throw new Error(`PATCH ${path}: ${status} ${JSON.stringify(body)}`);
}

/** Waits until a value is there, for at most `limitMs`. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  limitMs = 240_000,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await delay(nextLookMs(waitedMs));
  }
}

function makeBundle(
  world: World,
  session: { name: string; uid: string; attempt: number },
  overrides: Partial<Bundle> = {},
): Bundle {
  return {
    version: 1,
    session: { namespace: world.tenant, ...session },
    repositories: [],
    environment: {},
    agent: { command: ["cat"], protocol: "exec" },
    ...overrides,
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
