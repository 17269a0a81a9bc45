import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WebhookAuthentication } from "../../api/v1alpha1/index.ts";
import { authenticationOf } from "../../domain/deliveries/authentication.ts";
import { idempotencyKeyReader } from "../../domain/deliveries/idempotency-key.ts";
import { compileFilters } from "../../domain/filters/compile.ts";
import { hashApiKey } from "../../domain/keys.ts";
import { hasCredentials, requireProof } from "../../ingress/credentials.ts";
import { systemRandom } from "../../lib/random.ts";
import { curlLine } from "../../domain/deliveries/curl-line.ts";
import { type CommandedWebhook, webhookCommand } from "../../domain/deliveries/webhook-command.ts";

interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

let server: Server;
let received: Received[];
beforeAll(async () => {
  received = [];
  server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

/** What the command sends when a shell runs it. */
async function sent(
  webhook: CommandedWebhook | undefined,
  { key, env = {} }: { key?: string; env?: object },
): Promise<Received> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { problem, ...command } = webhookCommand(webhook, systemRandom, key);
  expect(problem).toBeUndefined();
  const shell = curlLine({ ...command, url });
  await promisify(execFile)("sh", ["-euc", shell], { env: { PATH: process.env.PATH, ...env } });
  return received.at(-1)!;
}

const apiKey = '-it\'s "a" $key`';
const secret = "-s3cret'\"$`\\0123";
const encoded = `whsec_${Buffer.from("\u0000\u0001secret bytes of any kind \u00ff", "latin1").toString("base64")}`;

describe.each<{ name: string; authentication: WebhookAuthentication | undefined; key: string }>([
  { name: "a bearer's key", authentication: undefined, key: apiKey },
  { name: "a token in a header", authentication: { type: "Header", header: { name: "X-Gitlab-Token" } }, key: apiKey },
  { name: "GitHub's signature", authentication: { type: "HMAC", hmac: { preset: "github" } }, key: secret },
  { name: "Standard Webhooks", authentication: { type: "HMAC", hmac: { preset: "standard-webhooks" } }, key: encoded },
  {
    name: "a signature of one's own",
    authentication: {
      type: "HMAC",
      hmac: {
        ...{ header: "X-Sig", algorithm: "SHA512", encoding: "Base64", prefix: "v0 '\"$`\\=" },
        ...{ timestampHeader: "X-Time", timestampSeparator: "'$. " },
      },
    },
    key: secret,
  },
  {
    name: "a signature of SHA-1 with a timestamp",
    authentication: { type: "HMAC", hmac: { header: "X-Sig", algorithm: "SHA1", timestampHeader: "X-Time" } },
    key: secret,
  },
])("a command for $name", ({ authentication, key }) => {
  const webhook: CommandedWebhook = {
    ...(authentication && { authentication }),
    filters: [{ path: "$.text", operator: "eq", value: 'it\'s "$HOME" \\ `x` ü' }],
    idempotencyKeyFrom: { header: "X-Event-ID", paths: ["$.id"] },
  };
  const endpoint = {
    keyHash: hashApiKey(key),
    signingSecrets: [key],
    authentication: authenticationOf(authentication),
  };
  const isSigned = authentication?.type === "HMAC";
  const variable = isSigned ? "RUNWRIGHT_SIGNING_SECRET" : "RUNWRIGHT_API_KEY";

  it.each([
    { name: "with the key", given: { key } },
    { name: "with the key in a variable", given: { env: { [variable]: key } } },
  ])("$name proves whose the delivery is, which starts a Run", async ({ given }) => {
    const { headers, body } = await sent(webhook, given);
    expect(hasCredentials(headers)).toBe(true);
    requireProof(endpoint, { headers, body, receivedAt: new Date() });
    const value: unknown = JSON.parse(body.toString());
    expect(compileFilters(webhook.filters ?? []).firstMismatch(value)).toBeUndefined();
    expect(idempotencyKeyReader(webhook.idempotencyKeyFrom)({ headers, value })).toMatch(
      /^\["example-.*","example-.*"\]$/,
    );
  });

  it("has a new key of the event each time, and no secret that it was not given", () => {
    const [one, other] = [webhookCommand(webhook, systemRandom), webhookCommand(webhook, systemRandom)];
    expect(JSON.stringify(one)).not.toEqual(JSON.stringify(other));
  });
});

it("has the key of the event in the body by default, and where that is read from the id that is signed, there", async () => {
  const plain = await sent(undefined, { key: apiKey });
  expect(JSON.parse(plain.body.toString())).toEqual({ idempotencyKey: expect.stringMatching(/^example-/) as string });
  const { headers, body } = await sent(
    {
      authentication: { type: "HMAC", hmac: { preset: "standard-webhooks" } },
      idempotencyKeyFrom: { header: "Webhook-Id" },
    },
    { key: encoded },
  );
  expect(headers["webhook-id"]).toMatch(/^example-[a-z2-7]+$/);
  expect(body.toString()).toBe("{}");
});
