import type { SessionSpec } from "../../api/v1alpha1/session.ts";
import type { KindInformers } from "../kind-informers.ts";
import { defaultClassOf } from "../sandbox/default-class.ts";
import type { PendingLimit } from "./facts.ts";

/** How long a Run may wait for a Session of the SandboxClass, or the Session for its place; undefined: without a limit. */
export function pendingLimitOf(
  { sandboxClasses }: Pick<KindInformers, "sandboxClasses">,
  { sandboxClassName: name }: Pick<SessionSpec, "sandboxClassName">,
): PendingLimit | undefined {
  const found = name === undefined ? defaultClassOf(sandboxClasses.list()) : sandboxClasses.get({ name });
  const seconds = found?.spec.maxPendingSeconds;
  return seconds === undefined ? undefined : { className: found?.metadata.name ?? "", seconds };
}
