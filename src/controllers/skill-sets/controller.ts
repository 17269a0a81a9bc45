import { digestOfSkillPiece } from "../../api/v1alpha1/names.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { listIn } from "../../kube/list-in.ts";
import { type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { KindInformers } from "../kind-informers.ts";
import { deleteUnchanged } from "../../kube/delete-unchanged.ts";
import { makeController } from "../../kube/make-controller.ts";
import type { SandboxInformers } from "../sandbox/informers.ts";
import type { SkillSetUse } from "../sandbox/skills/set-use.ts";
import { unnamedSets } from "./facts.ts";

export interface SkillSetControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<KindInformers, "sessions"> & Pick<SandboxInformers, "secrets">;
  skillSets: Pick<SkillSetUse, "deleteIfUnused" | "onFailed">;
  /** Namespaces whose sessions can be read; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
}

const everything = { name: "everything" };

/** How often stored sets are looked at: 10 minutes. */
const everyMs = 600_000;

/** Deletes stored sets of skills that no Session names: an hour after their last use, and at once where the start has failed. */
export function skillSetController(deps: SkillSetControllerDeps): Controller {
  const { informers, skillSets, watchNamespaces = [] } = deps;
  const controller = makeController(deps, { name: "skillset", concurrency: 1 }, (client) => ({
    async reconcile(_key, signal): Promise<Outcome> {
      const cached = unnamedSets(storedSets(informers.secrets.list()), informers.sessions.list());
      // The cache may lack a Session that names one.
      const sessions = cached.size === 0 ? [] : await listIn(client, Session, watchNamespaces, { signal });
      for (const [digest, pieces] of unnamedSets(cached, sessions)) {
        await skillSets.deleteIfUnused(digest, async () => {
          for (const piece of pieces) await deleteUnchanged(client, secrets, piece, signal);
        });
      }
      return requeueAfter(everyMs);
    },
  }));
  const silent = { keysOf: () => [] };
  controller.watch(informers.secrets, silent);
  controller.watch(informers.sessions, silent);
  skillSets.onFailed(() => controller.enqueue(everything));
  controller.enqueue(everything);
  return controller;
}

/** The Secrets of each stored set, by its digest. */
function storedSets(all: readonly Secret[]): Map<string, Secret[]> {
  const sets = new Map<string, Secret[]>();
  for (const secret of all) {
    const digest = digestOfSkillPiece(secret.metadata.name ?? "");
    if (digest !== undefined) sets.set(digest, [...(sets.get(digest) ?? []), secret]);
  }
  return sets;
}
