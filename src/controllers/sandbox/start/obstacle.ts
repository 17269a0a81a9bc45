import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { isForbidden, isInvalid, isNotFound, isRefused, KubeError } from "../../../kube/errors.ts";
import { cutMiddle } from "../../../lib/characters.ts";
import { quantityValue } from "../../../lib/quantity.ts";
import type { FoundSettings, StartObstacle } from "../facts.ts";
import { refused } from "../refusal.ts";

/** Characters of what the API server says of a Secret. */
const longestSaid = 512;

/**
 * What stands in the way of a pod, or of an object that it needs, which was refused. All else is thrown on, to be tried again: a
 * refusal is a 400, too, as a webhook's without a code is one.
 */
export function startObstacle(
  error: unknown,
  pod: { podName: string; podUID?: string | undefined },
  settings: FoundSettings,
): StartObstacle {
  if (isNotFound(error) || hasCause(error, "NamespaceTerminating")) return { kind: "gone" };
  if (!isRefused(error)) throw error;
  const { message } = error;
  if (isForbidden(error) && mayPass(message)) return { kind: "full", message, settings };
  return { kind: "rejected", ...pod, message };
}

/** A quota that is used now, or whose use is not counted yet, as after it was made. */
function mayPass(message: string): boolean {
  if (message.includes("status unknown for quota")) return true;
  return message.includes("exceeded quota") && !asksForMoreThanAll(message);
}

const listed = /(requested|limited): (\S+?)(?=, (?:requested|used|limited): |; |$|\s)/g;

/** Whether a single pod asks for more than the whole quota, so that no end of another one makes room. A quota of none freezes a namespace for a time. */
function asksForMoreThanAll(message: string): boolean {
  const found = [...message.matchAll(listed)];
  const limited = found.flatMap(([, kind, text]) => (kind === "limited" ? quantitiesOf(text) : []));
  const limits = new Map(limited.filter(([, amount]) => amount > 0));
  return found
    .flatMap(([, kind, text]) => (kind === "requested" ? quantitiesOf(text) : []))
    .some(([name, amount]) => amount > (limits.get(name) ?? Infinity));
}

/** Such as `limits.cpu=2,limits.memory=2Gi`. */
function quantitiesOf(text = ""): [string, number][] {
  return text.split(",").flatMap((one): [string, number][] => {
    const [name, quantity] = one.split("=");
    return name !== undefined && quantity !== undefined ? [[name, quantityValue(quantity)]] : [];
  });
}

/** What the API server says of a Secret that is larger than it may be; 413 is about the whole body. */
const isTooLong = /Too long|too large|may not be more than/i;

/** What stands in the way of a bundle of so many bytes, which was refused; all else is thrown on, to be tried again. */
export function bundleObstacle(error: unknown, bytes: number): StartObstacle {
  const isTooLarge =
    (isInvalid(error) && isTooLong.test(error.message)) || (error instanceof KubeError && error.status === 413);
  if (isTooLarge) {
    const said = `the session's bundle of ${bytes} bytes does not fit a Secret, which has at most 1,048,576`;
    const { refusal } = refused(reasons.bundleTooLarge, said);
    return { kind: "refused", refusal };
  }
  if (!isRefused(error) || (isForbidden(error) && mayPass(error.message))) throw error;
  const said = `the Secret with what the sandbox gets was refused: ${cutMiddle(error.message, longestSaid)}`;
  const { refusal } = refused(reasons.podRejected, said);
  return { kind: "refused", refusal };
}

function hasCause(error: unknown, reason: string): boolean {
  return error instanceof KubeError && (error.details?.causes ?? []).some((cause) => cause.reason === reason);
}
