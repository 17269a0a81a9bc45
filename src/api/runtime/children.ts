import { z } from "zod";
import { dnsLabel } from "../../lib/dns-label.ts";

/**
 * An agent's requests about child sessions. The runtime sends them to the gateway as the JSON body of
 * `POST <path of the attempt>/children`; the answer is JSON: the result, or `{error, code}`.
 */

const Name = z.string().regex(new RegExp(`^${dnsLabel}$`));
/** The same for repeats of a request, so that they create one child or prompt. */
const RequestId = z.string().min(1).max(64);
const Text = z.string().min(1).max(64_000);

export const ChildRequest = z.discriminatedUnion("op", [
  z.object({ op: z.literal("spawn"), requestId: RequestId, prompt: Text, title: z.string().max(200).optional() }),
  z.object({ op: z.literal("prompt"), requestId: RequestId, child: Name, prompt: Text }),
  z.object({ op: z.literal("list") }),
  z.object({ op: z.literal("get"), child: Name }),
  z.object({ op: z.literal("cancel"), child: Name }),
]);
export type ChildRequest = z.infer<typeof ChildRequest>;

export const ChildAnswer = z.object({ status: z.int(), body: z.record(z.string(), z.unknown()) });
export type ChildAnswer = z.infer<typeof ChildAnswer>;

/** Bytes of the largest request: JSON may need two escapes of six bytes for each character of the prompt. */
export const longestChildRequest = 12 * 64_000 + 16_384;

/** Below the path of the attempt. */
export const childrenPath = "/children";
