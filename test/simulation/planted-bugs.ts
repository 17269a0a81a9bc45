import { annotations, labels } from "../../src/api/v1alpha1/index.ts";
import type { ApiAnswer, ApiRequest } from "../../src/kube/transport.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { mergePatched } from "../support/merge-patched.ts";
import { plantedConnectorBugs } from "./connector/planted-bugs.ts";
import { places, rival, tenant } from "./places.ts";
import { type Body, changed, collectionOf, type Context, isOf, lost, pathOf, type PlantedBug } from "./planted-bug.ts";

const done: ApiAnswer = { status: 200, text: JSON.stringify({ kind: "Status", status: "Success" }) };

const notThere: ApiAnswer = {
  status: 404,
  text: JSON.stringify({ kind: "Status", status: "Failure", reason: "NotFound" }),
};

/** A log that does not say whose counts it has already. */
function withoutWriters({ status, text }: ApiAnswer): ApiAnswer {
  if (status !== 200) return { status, text };
  return { status, text: JSON.stringify(mergePatched(JSON.parse(text), { spec: { writers: [] } })) };
}

/** Each is found by an invariant: `planted-bugs.test.ts`. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "names of Runs that do not follow from the idempotency key",
    tamper(request, context) {
      if (!isOf("ingress", context) || request.method !== "POST" || collectionOf(request) !== "runs") return undefined;
      return changed(request, (run) => ({ ...run, metadata: { ...run.metadata, name: context.random.uuid() } }));
    },
  },
  {
    name: "deliveries that are answered before they are stored",
    seenAt: 2,
    tamper(request, context) {
      if (!isOf("ingress", context) || request.method !== "POST" || collectionOf(request) !== "runs") return undefined;
      return context.random.happens(0.1) ? { answer: { status: 201, text: request.body ?? "" } } : undefined;
    },
  },
  {
    name: "repeats that are refused at the limit of unfinished Runs",
    seenAt: 12,
    tamper(request, context) {
      const isLook = request.method === "GET" && /\/runs\/[^/]+$/.test(pathOf(request));
      return isOf("ingress", context) && isLook ? { answer: notThere } : undefined;
    },
  },
  {
    name: "refusals that are counted again when an answer was lost",
    tamper(request, context) {
      const isLog = /\/deliverylogs\/[^/]+$/.test(pathOf(request));
      if (!isOf("ingress", context) || !isLog) return undefined;
      const answer = (): ApiAnswer => context.api.answer(request);
      // Few writes of logs are among those whose answers are lost as it is.
      if (request.method === "PATCH" && context.random.happens(0.3) && answer().status === 200) return { answer: lost };
      return request.method === "GET" ? { answer: withoutWriters(answer()) } : undefined;
    },
  },
  {
    name: "skipped Runs that keep their idempotency key",
    seenAt: 14,
    tamper(request, context) {
      const isRun = /\/runs\/[^/]+$/.test(pathOf(request));
      return isOf("controller", context) && request.method === "DELETE" && isRun ? { answer: done } : undefined;
    },
  },
  {
    name: "bundles of attempts that stay",
    tamper(request, context) {
      const isSecret = request.path.includes("/rw-sessions/secrets/");
      return isOf("controller", context) && request.method === "DELETE" && isSecret ? { answer: done } : undefined;
    },
  },
  {
    name: "bundles of an earlier try that are used as they are",
    seenAt: 9,
    tamper(request, context) {
      const { method, body = "" } = request;
      const isBundle = pathOf(request).endsWith(`/${places.sessionsNamespace}/secrets`);
      if (!isOf("controller", context) || method !== "POST" || !isBundle) return undefined;
      const { name } = (JSON.parse(body) as KubeObject).metadata;
      const isThere = context.api.answer({ method: "GET", path: `${pathOf(request)}/${name ?? ""}` }).status === 200;
      return isThere ? { answer: { status: 201, text: body } } : undefined;
    },
  },
  {
    name: "Runs that belong to the Automation of their label in whatever namespace",
    seenAt: 3,
    tamper(request, context) {
      if (!isOf("controller", context)) return undefined;
      const isOfAll = collectionOf(request) === "runs";
      const asked = isOfAll && request.method === "GET" ? request : toRival(request, context);
      return asked && { answer: byLabelsAlone(context.api.answer(asked)) };
    },
    hears: ({ type, object }, context) => {
      return { type, object: isOf("controller", context) ? byLabelAlone(object) : object };
    },
  },
  {
    name: "sandboxes that outlive their session",
    tamper(request, context) {
      const isPod = pathOf(request).includes("/pods/");
      return isOf("controller", context) && request.method === "DELETE" && isPod ? { answer: done } : undefined;
    },
  },
  {
    name: "watches that miss deletions",
    seenAt: 173,
    hears: (event, context) => (isOf("controller", context) && event.type === "DELETED" ? undefined : event),
  },
  {
    name: "outcomes that are acknowledged before they are stored",
    tamper(request, context) {
      if (
        !isOf("gateway", context) ||
        request.method !== "PATCH" ||
        !/\/prompts\/[^/]+\/status$/.test(pathOf(request))
      ) {
        return undefined;
      }
      const { text, status } = context.api.answer({ method: "GET", path: pathOf(request).replace("/status", "") });
      if (status !== 200) return undefined;
      const merged = mergePatched(JSON.parse(text), JSON.parse(request.body ?? "{}"));
      return { answer: { status: 200, text: JSON.stringify(merged) } };
    },
  },
  {
    name: "deadlines by a clock that is ten minutes ahead",
    seenAt: 7,
    clockMs: (process) => (process.startsWith("controller-1") ? 600_000 : 0),
  },
  {
    name: "an archive that says it has more than it has",
    seenAt: 72,
    tamper(request, context) {
      const isLease = isOf("gateway", context) && pathOf(request).includes("/leases/");
      if (!isLease || !request.body?.includes(annotations.stored)) return undefined;
      const all = { runs: "900000", sessions: "900000", prompts: "900000", pullRequests: "900000" };
      const stored = JSON.stringify(all);
      return changed(
        request,
        (lease) => mergePatched(lease, { metadata: { annotations: { [annotations.stored]: stored } } }) as Body<Status>,
      );
    },
  },
  {
    name: "workspaces that cannot be saved and end in silence",
    seenAt: 4,
    tamper(request, context) {
      if (!isOf("controller", context) || !/\/sessions\/[^/]+\/status$/.test(pathOf(request))) return undefined;
      return changed<Status>(request, (patch) => {
        return patch.status ? { ...patch, status: endedInSilence(patch.status) } : patch;
      });
    },
  },
  {
    name: "a status that quotes a secret",
    tamper(request, context) {
      if (!isOf("controller", context) || !/\/sessions\/[^/]+\/status$/.test(pathOf(request))) return undefined;
      const leaked = { message: "the-value-of-the-global-secret" };
      return changed(request, (patch) => mergePatched(patch, { status: { leaked } }) as typeof patch);
    },
  },
  ...plantedConnectorBugs,
];

interface Status {
  sandbox?: { saveFailures?: number | null; saveFailureTime?: string | null; endTime?: string };
  conditions?: { type: string }[];
}

/** The status of an idle sandbox that ends with the first try to save it that has failed, as if nothing were to be kept. */
function endedInSilence(status: Status): Status {
  const { sandbox, conditions } = status;
  if (!sandbox?.saveFailureTime) return status;
  const none = { saveFailures: null, saveFailureTime: null };
  const ended = { ...sandbox, ...none, endTime: sandbox.saveFailureTime, endReason: "Stopped" };
  const said = conditions?.filter(({ type }) => type !== "WorkspaceSaved");
  return { ...status, sandbox: ended, ...(said && { conditions: said }) };
}

/** A rival's Run as it looks to who goes by labels and asks for no namespace. */
function byLabelAlone(object: KubeObject): KubeObject {
  const { metadata, kind } = object;
  const isForged = kind === "Run" && metadata.namespace === rival && metadata.labels?.[labels.automationUid];
  return isForged ? { ...object, metadata: { ...metadata, namespace: tenant } } : object;
}

/** An answer with one Run, or with several. */
function byLabelsAlone({ status, text }: ApiAnswer): ApiAnswer {
  if (status !== 200) return { status, text };
  const answer = JSON.parse(text) as KubeObject | { items: KubeObject[] };
  const seen = "items" in answer ? { ...answer, items: answer.items.map(byLabelAlone) } : byLabelAlone(answer);
  return { status, text: JSON.stringify(seen) };
}

/** A request for a rival's Run that looks as the tenant's, to where the Run is. */
function toRival(request: ApiRequest, { api }: Context): ApiRequest | undefined {
  const path = request.path.replace(`/namespaces/${tenant}/runs/`, `/namespaces/${rival}/runs/`);
  const [ofRun = ""] = /^[^?]*\/runs\/[^/?]+/.exec(path) ?? [];
  const isThere = path !== request.path && api.answer({ method: "GET", path: ofRun }).status === 200;
  return isThere ? { ...request, path } : undefined;
}
