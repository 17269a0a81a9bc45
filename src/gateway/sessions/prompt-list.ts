import { Prompt } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { LongLists } from "../http/long-lists.ts";

/** Prompts per page of the API server: each may have 250 KB of text, which is dropped as it is read. */
const pageSize = 50;

/** All prompts of a session, unordered and without their texts. @throws ApiError `Busy` */
export function promptsOf(
  lists: LongLists,
  { namespace, name }: NamespacedName,
  signal: AbortSignal,
): Promise<Prompt[]> {
  const fieldSelector = `spec.sessionRef.name=${name}`;
  return lists.read<Prompt>(Prompt, { namespace, fieldSelector, limit: pageSize, signal, transform: withoutText });
}

function withoutText(prompt: Prompt): Prompt {
  return { ...prompt, spec: { ...prompt.spec, text: "" } };
}
