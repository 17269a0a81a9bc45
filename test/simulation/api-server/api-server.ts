import { kinds, Prompt, Run } from "../../../src/api/v1alpha1/index.ts";
import { findCondition } from "../../../src/domain/conditions.ts";
import type { ApiAnswer, ApiRequest } from "../../../src/kube/transport.ts";
import type { KubeObject, ObjectMeta, Resource } from "../../../src/lib/resource.ts";
import { mergePatched } from "../../support/merge-patched.ts";
import { type Selects, selectorOf } from "./selectors.ts";
import type { Store } from "./store.ts";
import { eventOf, keyIn, Refused, type StoredEvent } from "./store.ts";

/** A request, as its path and query say it. */
export interface ParsedRequest {
  resource: Resource<KubeObject>;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
  query: URLSearchParams;
  selects: Selects;
}

/** Kinds whose status has an endpoint of its own. */
const withStatus = new Set([...kinds.filter(({ status }) => status).map(({ plural }) => plural), "pods"]);

/**
 * Answers requests as a kube-apiserver does, in so far as the processes of this project make them: creates, merge patches,
 * replacements and deletions under preconditions, dry runs, lists and watches with selectors, defaults and rules of our
 * kinds. Everybody may do everything. What it answers is held against a real one by `test/apiserver/api-server.test.ts`.
 */
export class ApiServer {
  readonly store: Store;
  /** Watches from before this version are answered that it has expired. */
  #oldest = 0;

  /** A ResourceQuota lets no more pods into any namespace. */
  isQuotaUsed = false;

  /** Most requests ask for the same few paths. */
  readonly #requests = new Map<string, ParsedRequest>();

  constructor(store: Store) {
    this.store = store;
  }

  /** Forgets what happened so far: watches that lag behind have to list again. */
  compact(): void {
    this.#oldest = this.store.version;
  }

  answer(request: ApiRequest): ApiAnswer {
    try {
      return { status: request.method === "POST" ? 201 : 200, text: this.#perform(request) };
    } catch (error) {
      if (error instanceof Refused) return statusOf(error);
      throw error;
    }
  }

  /** The changes after a version that a watch names. @throws Refused where it has expired */
  changesFor(path: string): { selects: Selects; plural: string; missed: StoredEvent[] } {
    const { resource, query, selects } = parseRequest(path);
    const since = Number(query.get("resourceVersion"));
    if (since < this.#oldest) throw new Refused(410, "Expired", `too old resource version: ${since}`);
    const { plural } = resource;
    const later = this.store.changes.slice(firstAfter(this.store.changes, since));
    const missed = later.filter((change) => change.plural === plural).map((change) => eventOf(change, selects));
    return { selects, plural, missed: missed.filter((event) => event !== undefined) };
  }

  /** What a request is answered, as JSON. */
  #perform({ method, path, headers, body }: ApiRequest): string {
    const request = this.#parsed(path);
    const sent = body === undefined ? undefined : (JSON.parse(body) as KubeObject);
    const isMetadataOnly = headers?.accept?.includes("PartialObjectMetadata") ?? false;
    const shown = (object: KubeObject): KubeObject => (isMetadataOnly ? { metadata: object.metadata } : object);
    if (method === "POST") return this.store.textOf(shown(this.#create(request, sent ?? { metadata: {} })));
    if (method === "GET" && request.name === undefined) return this.#list(request, shown);
    const key = keyIn(request.namespace, request.name ?? "");
    if (method === "GET") return this.store.textOf(shown(this.store.get(request.resource.plural, key)));
    if (method === "DELETE") return this.#delete(request, key, sent);
    return this.store.textOf(this.#update(request, key, { method, sent: sent ?? { metadata: {} } }));
  }

  #parsed(path: string): ParsedRequest {
    const known = this.#requests.get(path) ?? parseRequest(path);
    this.#requests.set(path, known);
    return known;
  }

  #create({ resource, namespace, subresource }: ParsedRequest, sent: KubeObject): KubeObject {
    if (resource.group === "authorization.k8s.io") return { ...sent, status: { allowed: true } } as KubeObject;
    if (subresource !== undefined) throw new Refused(404, "NotFound", `there is no ${subresource} here`);
    if (resource.plural === "pods" && this.isQuotaUsed) {
      const what = `pods "${sent.metadata.name ?? ""}" is forbidden: exceeded quota: compute, requested: pods=1`;
      throw new Refused(403, "Forbidden", what);
    }
    const metadata = { ...sent.metadata, namespace };
    const status = withStatus.has(resource.plural) ? { status: undefined } : {};
    return this.store.create(resource, checked(resource, { ...sent, ...status, metadata }));
  }

  #list({ resource, selects }: ParsedRequest, shown: (object: KubeObject) => KubeObject): string {
    const items = this.store.list(resource.plural, selects).map((object) => this.store.textOf(shown(object)));
    return `{"metadata":{"resourceVersion":"${this.store.version}"},"items":[${items.join(",")}]}`;
  }

  #delete({ resource }: ParsedRequest, key: string, sent: KubeObject | undefined): string {
    const { preconditions, gracePeriodSeconds } = (sent ?? {}) as {
      preconditions?: ObjectMeta;
      gracePeriodSeconds?: number;
    };
    this.store.delete(resource.plural, key, preconditions, (object) => gracePeriodSeconds === 0 || !isOnNode(object));
    return JSON.stringify({ kind: "Status", status: "Success" });
  }

  #update(
    { resource, subresource }: ParsedRequest,
    key: string,
    { method, sent }: { method: string; sent: KubeObject },
  ): KubeObject {
    return this.store.update(resource.plural, key, sent.metadata, (before) => {
      const wanted = method === "PUT" ? sent : (mergePatched(before, sent) as KubeObject);
      const asked = onEndpoint(resource.plural, subresource, before, wanted);
      // Most writes are of a status or of a Lease, and leave a spec as it was stored.
      const isSame = specOf(asked) === specOf(before);
      const after = isSame ? asked : checked(resource, asked);
      assertSettledStays(resource.plural, before, after);
      const isChanged = !isSame && JSON.stringify(specOf(before)) !== JSON.stringify(specOf(after));
      const generation = (before.metadata.generation ?? 1) + (isChanged ? 1 : 0);
      return { ...after, metadata: { ...after.metadata, generation } };
    });
  }
}

/** The endpoint of the status changes nothing else, and that of the object leaves the status. */
function onEndpoint(
  plural: string,
  subresource: string | undefined,
  before: KubeObject,
  wanted: KubeObject,
): KubeObject {
  if (!withStatus.has(plural)) return wanted;
  const { status } = (subresource === "status" ? wanted : before) as KubeObject & { status?: unknown };
  return { ...(subresource === "status" ? before : wanted), ...(status === undefined ? {} : { status }) };
}

/** With the defaults of our kinds. @throws Refused for what their schemas refuse */
function checked(resource: Resource<KubeObject>, object: KubeObject): KubeObject {
  const kind = kinds.find(({ plural, group }) => plural === resource.plural && group === resource.group);
  if (!kind) return object;
  const parsed = kind.schema.safeParse(object);
  if (!parsed.success) throw new Refused(422, "Invalid", parsed.error.message);
  return { ...object, spec: parsed.data.spec } as KubeObject;
}

/** The rule of Runs and Prompts by which the first writer decides. */
function assertSettledStays(plural: string, before: KubeObject, after: KubeObject): void {
  if (plural !== Run.plural && plural !== Prompt.plural) return;
  const [was, is] = [before, after].map((object) => findCondition((object as Run).status?.conditions, "Succeeded"));
  if (!was || was.status === "Unknown" || (is?.status === was.status && is.reason === was.reason)) return;
  throw new Refused(422, "Invalid", "a settled Succeeded condition cannot change");
}

function specOf(object: KubeObject): unknown {
  return (object as KubeObject & { spec?: unknown }).spec;
}

/** A pod whose deletion has to wait for its kubelet. */
function isOnNode(object: KubeObject): boolean {
  return object.kind === "Pod" && (object as KubeObject & { status?: { phase?: string } }).status?.phase === "Running";
}

/** Splits `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL/NAME/SUBRESOURCE?QUERY`, of which the middle may be missing. */
export function parseRequest(target: string): ParsedRequest {
  const { pathname, searchParams: query } = new URL(target, "http://api");
  const parts = pathname.slice(1).split("/").map(decodeURIComponent);
  const group = parts[0] === "api" ? "" : (parts[1] ?? "");
  const version = parts[group === "" ? 1 : 2] ?? "";
  const rest = parts.slice(group === "" ? 2 : 3);
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2;
  const [plural = "", name, subresource] = isNamespaced ? rest.slice(2) : rest;
  const kind = kinds.find((one) => one.plural === plural && one.group === group)?.kind ?? kindNames[plural] ?? plural;
  const resource = { group, version, kind, plural, namespaced: isNamespaced };
  const namespace = isNamespaced ? rest[1] : undefined;
  return { resource, namespace, name, subresource, query, selects: selectorOf(namespace, query) };
}

const kindNames: Record<string, string> = {
  pods: "Pod",
  secrets: "Secret",
  leases: "Lease",
  events: "Event",
  configmaps: "ConfigMap",
  serviceaccounts: "ServiceAccount",
  networkpolicies: "NetworkPolicy",
  roles: "Role",
  rolebindings: "RoleBinding",
};

/** The answer that a refusal is. */
function statusOf({ status: code, reason, message }: Refused): ApiAnswer {
  return { status: code, text: JSON.stringify({ kind: "Status", status: "Failure", code, reason, message }) };
}

/** The place of the first change after a version. */
function firstAfter(changes: readonly { version: number }[], version: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.version ?? 0) > version) high = middle;
    else low = middle + 1;
  }
  return low;
}
