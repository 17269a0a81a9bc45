import { labels } from "../../api/v1alpha1/names.ts";
import type { PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";

/** A Prompt that is deleted with its session. */
export function makePrompt(
  session: Session,
  { name, text, images = [] }: { name: string; text: string; images?: readonly PromptImage[] | undefined },
): Prompt {
  const { name: sessionName = "", namespace, uid = "" } = session.metadata;
  return {
    metadata: {
      name,
      namespace,
      labels: { [labels.sessionUid]: uid },
      ownerReferences: [ownerReferenceTo(Session, session)],
    },
    spec: { sessionRef: { name: sessionName }, text, ...(images.length === 0 ? {} : { images: [...images] }) },
  };
}
