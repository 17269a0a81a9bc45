import type { Automation } from "../../api/v1alpha1/index.ts";
import type { KindInformers } from "../kind-informers.ts";
import { defaultClassOf } from "../sandbox/default-class.ts";
import type { PendingLimit } from "./facts.ts";

/** How long Runs of the automation may be Pending, by the SandboxClass of their Sessions; undefined: until they start. */
export function pendingLimitOf(
  { sandboxClasses }: Pick<KindInformers, "sandboxClasses">,
  { spec }: Automation,
): PendingLimit | undefined {
  const { sandboxClassName: name } = spec.session;
  const found = name === undefined ? defaultClassOf(sandboxClasses.list()) : sandboxClasses.get({ name });
  const seconds = found?.spec.maxPendingSeconds;
  return seconds === undefined ? undefined : { className: found?.metadata.name ?? "", seconds };
}
