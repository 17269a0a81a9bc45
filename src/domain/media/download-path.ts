import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import { type MediaIdentity, mediaName } from "./media-name.ts";

/** Path of the gateway's REST API that answers with a file which an agent attached to its answer of this prompt. */
export function downloadPath({ metadata, spec }: Prompt, file: MediaIdentity): string {
  const { namespace = "", name = "" } = metadata;
  return `/sessions/${namespace}.${spec.sessionRef.name}/prompts/${name}/media/${mediaName(file)}`;
}
