import { indexNames, type KindInformers } from "../kind-informers.ts";
import type { SandboxInformers } from "../sandbox/informers.ts";

/** Sessions by namespace and UID of their parent. */
export const byParentIndex = indexNames.parentUid;
/** Prompts and pods by `namespace/name` of their session. */
export const bySessionIndex = indexNames.session;

export type SessionInformers = SandboxInformers &
  Pick<KindInformers, "sessions" | "prompts" | "sandboxClasses" | "prebuiltImages"> &
  Partial<Pick<KindInformers, "sandboxPools">>;
