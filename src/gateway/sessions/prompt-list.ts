import { Prompt } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Reads } from "../http/reads.ts";

/** Prompts per page of the API server: each may have 250 KB of text, which is dropped as it is read. */
const pageSize = 50;

/** Reads the prompts of sessions from the API server. */
export class PromptList {
  readonly #deps: { client: Pick<KubeClient, "list">; reads: Reads };

  constructor(deps: { client: Pick<KubeClient, "list">; reads: Reads }) {
    this.#deps = deps;
  }

  /** All prompts of a session, unordered and without their texts. @throws ApiError `Busy` */
  of({ namespace, name }: NamespacedName, signal: AbortSignal): Promise<Prompt[]> {
    const { client, reads } = this.#deps;
    return reads.run(async () => {
      const fieldSelector = `spec.sessionRef.name=${name}`;
      const options = { namespace, fieldSelector, limit: pageSize, signal, transform: withoutText };
      const { items } = await client.list<Prompt>(Prompt, options);
      return items;
    });
  }
}

function withoutText(prompt: Prompt): Prompt {
  return { ...prompt, spec: { ...prompt.spec, text: "" } };
}
