import type { Webhook } from "../../api/v1alpha1/index.ts";
import { authenticationOf } from "./authentication.ts";
import type { SignatureScheme } from "./signature-scheme.ts";
import type { Random } from "../../lib/random.ts";
import { type CurlCommand, quoted } from "./curl-line.ts";
import { exampleDelivery } from "./example-delivery.ts";

/** Settings of a webhook that the command follows; absent ones are defaults. */
export type CommandedWebhook = Partial<Pick<Webhook, "filters" | "authentication" | "idempotencyKeyFrom">>;

/** A command that sends an example, but for its URL. */
export interface WebhookCommand extends Omit<CurlCommand, "url"> {
  /** Why the delivery starts no Run, in a sentence; undefined where it would. */
  problem: string | undefined;
}

/** Variables from which a command takes a key or signing secret that it does not have. */
export const credentialVariables = { key: "RUNWRIGHT_API_KEY", secret: "RUNWRIGHT_SIGNING_SECRET" } as const;

/**
 * A shell command that sends a delivery which the webhook's filters match, with a new idempotency key, as a sender proves whose
 * it is. Without `key` it takes the key or signing secret from a variable.
 */
export function webhookCommand(
  webhook: CommandedWebhook | undefined,
  random: Pick<Random, "bytes">,
  key?: string,
): WebhookCommand {
  const { body, problem, freshKey } = exampleDelivery(webhook, random);
  const authentication = authenticationOf(webhook?.authentication);
  const named = webhook?.idempotencyKeyFrom?.header;
  const keyHeaders = named === undefined ? [] : [{ name: named, value: freshKey }];
  if (authentication.type === "HMAC") {
    return { ...signedCommand(authentication.scheme, { body, freshKey, keyHeaders, secret: key }), problem };
  }
  const [name, scheme] = authentication.type === "Header" ? [authentication.header, ""] : ["Authorization", "Bearer "];
  // In double quotes the shell replaces the variable.
  const proof =
    key === undefined ? `"${name}: ${scheme}$${credentialVariables.key}"` : quoted(`${name}: ${scheme}${key}`);
  return { headers: [proof, ...plainHeaders(keyHeaders)], data: quoted(body), problem };
}

interface Header {
  name: string;
  value: string;
}

function plainHeaders(headers: readonly Header[]): string[] {
  return headers.map(({ name, value }) => quoted(`${name}: ${value}`));
}

interface ToSign {
  body: string;
  freshKey: string;
  keyHeaders: readonly Header[];
  secret: string | undefined;
}

/** Signs with openssl when it is run, as a timestamp of now is part of what is signed. */
function signedCommand(
  scheme: SignatureScheme,
  { body, freshKey, keyHeaders, secret }: ToSign,
): Omit<CurlCommand, "url"> {
  const { header, prefix, signedHeaders, separator, timestamp } = scheme;
  const isTimestamp = (name: string): boolean => name === timestamp?.header;
  const valueOf = (name: string): string => (isTimestamp(name) ? '"$timestamp"' : quoted(freshKey));
  const signed = [...signedHeaders.map((name) => `${valueOf(name)}${quoted(separator)}`), '"$body"'].join("");
  const others = keyHeaders.filter(({ name }) => !signedHeaders.includes(name.toLowerCase()));
  return {
    before: [
      ...(secret === undefined ? [] : [`${credentialVariables.secret}=${quoted(secret)}`]),
      `body=${quoted(body)}`,
      ...(timestamp ? ["timestamp=$(date +%s)"] : []),
      `signature=$(printf '%s' ${signed} | ${opensslCommand(scheme)})`,
    ],
    headers: [
      `${quoted(`${header}: ${prefix}`)}"$signature"`,
      ...signedHeaders.map((name) => `${quoted(`${name}: `)}${valueOf(name)}`),
      ...plainHeaders(others),
    ],
    data: '"$body"',
  };
}

function opensslCommand({ algorithm, encoding, hasEncodedSecret }: SignatureScheme): string {
  const bytes = `$(printf '%s' "\${${credentialVariables.secret}#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`;
  const key = hasEncodedSecret ? `"hexkey:${bytes}"` : `"key:$${credentialVariables.secret}"`;
  const digest = `openssl dgst -${algorithm} -mac HMAC -macopt ${key}`;
  return encoding === "hex" ? `${digest} -r | cut -d ' ' -f 1` : `${digest} -binary | openssl base64 -A`;
}
