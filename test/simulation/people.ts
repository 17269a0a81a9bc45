import { Automation, annotations, globalSecretName, Prompt, Run, Session } from "../../src/api/v1alpha1/index.ts";
import { succeededOf } from "../../src/domain/prompts/prompt-state.ts";
import { manualRun } from "../../src/domain/runs/manual-run.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { aPrompt, aSession } from "../support/builders.ts";
import type { Cluster } from "./cluster.ts";
import { rival, secretPrefix, tenant } from "./places.ts";
import { limits } from "./processes.ts";
import { keyIn } from "./api-server/store.ts";

/** What people do with kubectl, whose requests always arrive. */
export class People {
  readonly #cluster: Cluster;
  /** UIDs of the Runs that a person has deleted. */
  readonly deletedRuns = new Set<string>();
  /** When the secret of all sandboxes changed, in milliseconds of the simulation. */
  readonly secretChanges: number[] = [];

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  act(): void {
    const { random } = this.#cluster;
    const act = random.pick([
      "trigger",
      "cancel",
      "delete",
      "suspend",
      "resume",
      "talk",
      "talk",
      "rotate",
      "forge",
    ] as const);
    this.#cluster.note(`a person does: ${act}`);
    this[act]();
  }

  trigger(): void {
    const { random, clock } = this.#cluster;
    const automation = { namespace: tenant, name: random.pick(["fix", "nightly"]) };
    this.#create(Run.plural, manualRun({ automation, time: clock.now(), random: random.bytes(7), whilePaused: false }));
  }

  /** Asks something in one of two sessions that keep their workspace, and begins it if need be. */
  talk(): void {
    const { random, store } = this.#cluster;
    const name = random.pick(["talk-0", "talk-1"]);
    const spec = { serviceAccountName: "runner", idleTimeoutSeconds: limits.idleSeconds };
    if (!store.find(Session.plural, `${tenant}/${name}`)) {
      this.#create(Session.plural, aSession({ metadata: { name, namespace: tenant }, spec }));
    }
    const asked = `${name}-${random.bytes(4).toString("hex")}`;
    const metadata = { name: asked, namespace: tenant };
    this.#create(Prompt.plural, aPrompt({ metadata, spec: { sessionRef: { name } } }));
  }

  /** Changes the secret of all sandboxes. */
  rotate(): void {
    const { api, clock } = this.#cluster;
    this.secretChanges.push(clock.monotonicMs());
    const data = { TOKEN: btoa(secretValue(this.secretChanges.length)) };
    const path = `/api/v1/namespaces/${tenant}/secrets/${globalSecretName}`;
    api.answer({ method: "PATCH", path, body: JSON.stringify({ data }) });
  }

  /** Another tenant makes a Run of his own look as one of an Automation of this one. */
  forge(): void {
    const { random, clock } = this.#cluster;
    const { metadata } = this.#automation();
    const { name = "", uid } = metadata;
    const automation = { namespace: rival, name, uid };
    const run = manualRun({ automation, time: clock.now(), random: random.bytes(7), whilePaused: false });
    this.#create(Run.plural, run, rival);
  }

  /** Asks for the end of a prompt. */
  cancel(): void {
    const open = (this.#cluster.store.list("prompts") as Prompt[]).filter((prompt) => {
      return (succeededOf(prompt)?.status ?? "Unknown") === "Unknown";
    });
    if (open.length > 0) this.#patch(Prompt.plural, this.#cluster.random.pick(open), { spec: { cancel: true } });
  }

  /** Deletes a Run, ended or not. */
  delete(): void {
    const runs = this.#cluster.store.list("runs", isOfTenant) as Run[];
    if (runs.length === 0) return;
    const { metadata } = this.#cluster.random.pick(runs);
    const { namespace, name = "", uid = "" } = metadata;
    this.deletedRuns.add(uid);
    this.#cluster.store.delete(Run.plural, keyIn(namespace, name), undefined, () => true);
  }

  suspend(): void {
    const automation = this.#automation();
    this.#patch(Automation.plural, automation, { spec: { suspend: !automation.spec.suspend } });
  }

  resume(): void {
    const at = this.#cluster.clock.now().toISOString();
    this.#patch(Automation.plural, this.#automation(), {
      metadata: { annotations: { [annotations.resumeRequestedAt]: at } },
    });
  }

  /** No schedule fires any more. */
  suspendAll(): void {
    for (const automation of this.#cluster.store.list(Automation.plural)) {
      this.#patch(Automation.plural, automation, { spec: { suspend: true } });
    }
  }

  #create(plural: string, object: KubeObject, namespace: string = tenant): void {
    const path = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/${plural}`;
    const { status, text } = this.#cluster.api.answer({ method: "POST", path, body: JSON.stringify(object) });
    if (status !== 201) throw new Error(text);
  }

  #automation(): Automation {
    return this.#cluster.random.pick(this.#cluster.store.list(Automation.plural)) as Automation;
  }

  #patch(plural: string, { metadata }: KubeObject, patch: object): void {
    const path = `/apis/runwright.dev/v1alpha1/namespaces/${tenant}/${plural}/${metadata.name ?? ""}`;
    this.#cluster.api.answer({ method: "PATCH", path, body: JSON.stringify(patch) });
  }
}

/** The value of the secret after so many changes. */
export function secretValue(changes: number): string {
  return `${secretPrefix}-${changes}`;
}

function isOfTenant({ metadata }: KubeObject): boolean {
  return metadata.namespace === tenant;
}
