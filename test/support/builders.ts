import { Buffer } from "node:buffer";
import type {
  Automation,
  AutomationSpec,
  Condition,
  PrebuiltImage,
  Prompt,
  PullRequest,
  Repository,
  Run,
  SandboxClass,
  SandboxClassSpec,
  Session,
} from "../../src/api/v1alpha1/index.ts";
import type { Secret } from "../../src/kube/core-resources.ts";
import type { KubeObject } from "../../src/lib/resource.ts";

type Metadata = KubeObject["metadata"];

/** What a test says of an object; the builder says the rest. */
interface Parts<T extends { spec: object; status?: object | undefined }> {
  metadata?: Metadata;
  spec?: Partial<T["spec"]>;
  status?: T["status"] | undefined;
}

const withStatus = <Status>(status: Status | undefined): { status?: Status } =>
  status === undefined ? {} : { status };

/** A webhook Automation as a person writes it: what has a default is left to the API server. */
export function anAutomation(
  parts: Omit<Parts<Automation>, "spec"> & { spec?: Partial<AutomationSpec> } = {},
): Automation {
  const spec = { instructions: "Fix it.", trigger: { type: "Webhook" }, serviceAccountName: "runner", ...parts.spec };
  return { metadata: { name: "fix", ...parts.metadata }, spec, ...withStatus(parts.status) } as Automation;
}

/** A Run started by hand of Automation `fix`. */
export function aRun({ metadata, spec, status }: Parts<Run> = {}): Run {
  return {
    metadata: { name: "fix-run", ...metadata },
    spec: { automationRef: { name: "fix" }, trigger: { type: "Manual" }, ...spec },
    ...withStatus(status),
  };
}

/** A Session as a Run makes it: its sandbox is not kept when the last prompt has ended. */
export function aSession({ metadata, spec, status }: Parts<Session> = {}): Session {
  return {
    metadata: { name: "fix", ...metadata },
    spec: { target: {}, serviceAccountName: "runner", idleTimeoutSeconds: 0, ...spec },
    ...withStatus(status),
  };
}

/** The first Prompt of Session `fix`. */
export function aPrompt({ metadata, spec, status }: Parts<Prompt> = {}): Prompt {
  return {
    metadata: { name: "fix-1", ...metadata },
    spec: { sessionRef: { name: "fix" }, text: "Do it.", ...spec },
    ...withStatus(status),
  };
}

/** A PullRequest of Session `fix`, whose UID is `s`, before it is opened. */
export function aPullRequest({ metadata, spec, status }: Parts<PullRequest> = {}): PullRequest {
  return {
    metadata: { name: "fix-pr", ...metadata },
    spec: {
      integrationRef: { name: "github", uid: "i" },
      sessionRef: { name: "fix", uid: "s" },
      repositoryRef: { name: "api" },
      repository: "acme/api",
      head: "fix",
      base: "main",
      title: "Fix it",
      body: "Fixed.",
      openAs: "Draft",
      ...spec,
    },
    ...withStatus(status),
  };
}

/** A Repository of that name on `git.example.com`. */
export function aRepository(name: string, { metadata, spec, status }: Parts<Repository> = {}): Repository {
  return {
    metadata: { name, ...metadata },
    spec: { url: `https://git.example.com/${name}.git`, branch: "main", ...spec },
    ...withStatus(status),
  };
}

/** A PrebuiltImage of the Repository of its name, in namespace `shop` and SandboxClass `standard`. */
export function aPrebuiltImage(name: string, { metadata, spec, status }: Parts<PrebuiltImage> = {}): PrebuiltImage {
  const of = spec?.environmentRef ? {} : { repositoryRef: { name } };
  const own = { ...of, sandboxClassName: "standard", serviceAccountName: "runner", suspend: false };
  return {
    metadata: { namespace: "shop", name, uid: `uid-${name}`, ...metadata },
    spec: { ...own, ...spec },
    ...withStatus(status),
  };
}

/** A SandboxClass as a person writes it: what has a default is left to the API server. */
export function aSandboxClass(name: string, spec: Partial<SandboxClassSpec> = {}): SandboxClass {
  return { metadata: { name }, spec: { agent: { command: ["agent"], protocol: "exec" }, ...spec } } as SandboxClass;
}

/** A Secret with these values, given as text or bytes and held in base64. */
export function aSecret(
  data: Record<string, string | Uint8Array>,
  { type, ...metadata }: Metadata & { type?: string } = { name: "s" },
): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value as string).toString("base64")]);
  return { metadata, ...(type !== undefined && { type }), data: Object.fromEntries(encoded) as Record<string, string> };
}

/** The `Succeeded` condition of a Run or Prompt that has ended. */
export function aVerdict(succeeded: boolean, reason: string, at: Date): Condition {
  return {
    type: "Succeeded",
    status: succeeded ? "True" : "False",
    reason,
    message: `The agent said ${reason}`,
    lastTransitionTime: at.toISOString(),
  };
}

/** What the kubelet reports of one container. */
export function aContainerStatus<State extends object>(
  name: string,
  state: State,
): { name: string; image: string; imageID: string; ready: boolean; restartCount: number; state: State } {
  return { name, image: "sandbox:1", imageID: "", ready: true, restartCount: 0, state };
}

/** What the kubelet reports of a pod whose two containers run. */
export function aRunningPodStatus(startedAt = new Date().toISOString()): {
  phase: string;
  containerStatuses: object[];
} {
  const containerStatuses = ["runtime", "agent"].map((name) => aContainerStatus(name, { running: { startedAt } }));
  return { phase: "Running", containerStatuses };
}
