import type { RefusalReason } from "../metrics/refusals.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Why a request may not act for an attempt; its code is the label of a metric. */
export type SandboxRefusal = SandboxError<RefusalReason>;

export function refuse(
  status: SandboxRefusal["status"],
  code: RefusalReason,
  message: string,
): { refuse: SandboxRefusal } {
  return { refuse: new SandboxError(status, code, message) };
}

/** Has the runtime come back. */
export function retry(code: RefusalReason, message: string): SandboxRefusal {
  return new SandboxError(503, code, message);
}
