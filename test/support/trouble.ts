import type { ClientHooks } from "../../src/kube/client-options.ts";
import { KubeError } from "../../src/kube/errors.ts";
import { NotLeadingError } from "../../src/kube/outcome.ts";

/** What happens to the writes of one operator, counted from 1; reviews count as reads. */
export interface Trouble {
  /** The process is dead from this write on. */
  diesAt?: number;
  /** The process is dead from the first write of this kind on, such as `create Prompt`. */
  diesBefore?: string;
  /** This write is carried out, and its answer is lost with the process. */
  diesAfter?: number;
  /** This write is refused and not carried out, once. */
  failsAt?: number;
  /** The first write of this kind is refused and not carried out, such as `create Session`. */
  failsFirst?: string;
  /** Each write of this kind is refused and not carried out, such as `create Session`. */
  refuses?: string;
  /** With what a write is refused; 503 by default. */
  status?: number;
}

/** Hooks that bring the trouble about, and note each write as `create Pod` or `patch Session/status`, failed ones too. */
export function troubled(trouble: Trouble, writes: string[]): ClientHooks {
  const { diesAt = Infinity, diesBefore, diesAfter = Infinity, failsAt, failsFirst, refuses, status = 503 } = trouble;
  let attempts = 0;
  let hasFailedFirst = false;
  let isDead = false;
  const isReview = (kind: string): boolean => kind.endsWith("Review");
  return {
    beforeWrite: (verb, { kind }) => {
      if (isReview(kind)) return;
      attempts += 1;
      const write = `${verb} ${kind}`;
      isDead ||= attempts >= diesAt || attempts > diesAfter || write === diesBefore;
      if (isDead) throw new NotLeadingError("killed");
      const failsNow = write === failsFirst && !hasFailedFirst;
      hasFailedFirst ||= failsNow;
      if (!failsNow && attempts !== failsAt && write !== refuses) return;
      throw new KubeError({ message: "planted", status, reason: "Planted", delivery: "received" });
    },
    afterWrite: ({ kind }) => {
      if (!isReview(kind) && attempts === diesAfter) throw new NotLeadingError("killed");
    },
    afterRequest: ({ verb, resource, subresource }) => {
      if (verb === "get" || verb === "list" || verb === "watch" || isReview(resource.kind)) return;
      writes.push(`${verb} ${resource.kind}${subresource === undefined ? "" : `/${subresource}`}`);
    },
  };
}
