import { labels } from "../../api/v1alpha1/names.ts";
import type { PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import { base32 } from "../../lib/base32.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";

/** Characters of the Session's name that a Prompt's name begins with. */
const prefixCharacters = 30;
/** Random bytes that {@link promptName} needs for its 10 characters. */
export const promptNameBytes = 7;
const suffixCharacters = 10;

/** A name for a prompt of this session. The same bytes give the same name, so that a repeated create stores no second one. */
export function promptName(session: string, bytes: Uint8Array): string {
  const prefix = session.slice(0, prefixCharacters).replace(/-+$/, "");
  return `${prefix}-${base32(bytes).slice(0, suffixCharacters)}`;
}

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
