import type { IncomingHttpHeaders } from "node:http";

import { parsePayload } from "../../domain/deliveries/payload.ts";

/** Whether a body is a form, which has the JSON of providers in its field `payload`. */
export function isForm({ "content-type": type }: Pick<IncomingHttpHeaders, "content-type">): boolean {
  return /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(type ?? "");
}

/** The JSON of a body, which may be a form. @throws Refusal `InvalidPayload` */
export function sentJson(body: Uint8Array, headers: Pick<IncomingHttpHeaders, "content-type">): unknown {
  return parsePayload(isForm(headers) ? payloadField(body) : body).value;
}

function payloadField(body: Uint8Array): Uint8Array {
  const fields = new URLSearchParams(new TextDecoder().decode(body));
  return new TextEncoder().encode(fields.get("payload") ?? "");
}
