import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { describe, expect, it } from "vitest";

import type { HmacAuthentication } from "../api/v1alpha1/index.ts";
import type { Authentication } from "../domain/deliveries/authentication.ts";
import { Refusal } from "../domain/deliveries/refusal.ts";
import { signatureScheme } from "../domain/deliveries/signature-scheme.ts";
import { hashApiKey } from "../domain/keys.ts";
import { hasCredentials, requireProof } from "./credentials.ts";

const body = Buffer.from('{"a":1}');
const nowSeconds = 1_700_000_000;
const receivedAt = new Date(nowSeconds * 1_000 + 999);
const secret = "0123456789abcdef0123456789abcdef";

/** `taken`, or the code of the refusal. */
function codeOf(check: () => void): string {
  try {
    check();
    return "taken";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

it.each<[IncomingHttpHeaders, boolean]>([
  [{}, false],
  [{ authorization: "Bearer k" }, true],
  [{ authorization: "Basic k" }, false],
  [{ authorization: "Bearer " }, false],
  [{ "x-hub-signature-256": "s" }, true],
  [{ authorization: "Basic k", "x-gitlab-token": "t" }, true],
  [{ "x-gitlab-token": "" }, false],
  [{ "x-gitlab-event": "Push Hook", "idempotency-key": "i", "user-agent": "GitLab" }, false],
  [{ "x-github-delivery": "d", "x-github-event": "push", "x-github-hook-id": "1" }, false],
  [{ "proxy-authorization": "Bearer k" }, false],
])("of the headers %j some may be a proof: %s", (headers, want) => {
  expect(hasCredentials(headers)).toBe(want);
});

function proof(
  authentication: Authentication | Refusal,
  headers: IncomingHttpHeaders,
  stored: { key?: string; secrets?: string[] } = {},
): string {
  const { key = "right", secrets = [secret] } = stored;
  const endpoint = { authentication, keyHash: hashApiKey(key), signingSecrets: secrets };
  return codeOf(() => requireProof(endpoint, { headers, body, receivedAt }));
}

describe("a token in a header", () => {
  const authentication = { type: "Header", header: "x-gitlab-token" } as const;
  it.each<[IncomingHttpHeaders, string]>([
    [{ "x-gitlab-token": "right" }, "taken"],
    [{ "x-gitlab-token": "Right" }, "WrongKey"],
    [{ "x-gitlab-token": "right, right" }, "WrongKey"],
    [{ "x-gitlab-token": "" }, "MissingKey"],
    [{ authorization: "Bearer right" }, "MissingKey"],
    [{ "x-other-token": "right" }, "MissingKey"],
  ])("%j: %s", (headers, want) => {
    expect(proof(authentication, headers)).toBe(want);
  });

  it("is not taken as a bearer's key, and the other way round", () => {
    expect(proof({ type: "Bearer" }, { "x-gitlab-token": "right" })).toBe("MissingKey");
    expect(proof({ type: "Bearer" }, { authorization: "Bearer right", "x-gitlab-token": "wrong" })).toBe("taken");
  });

  it("matches nothing while there is no key", () => {
    const endpoint = { authentication, keyHash: undefined, signingSecrets: [] };
    const headers = { "x-gitlab-token": "right" };
    expect(codeOf(() => requireProof(endpoint, { headers, body, receivedAt }))).toBe("WrongKey");
  });
});

const hmac = (settings: HmacAuthentication): Authentication => ({ type: "HMAC", scheme: signatureScheme(settings) });
const sign = (text: string, by: string | Buffer = secret): string =>
  createHmac("sha256", by).update(text).digest("hex");

describe("GitHub's signature", () => {
  const github = hmac({ preset: "github" });
  it.each<[string, IncomingHttpHeaders, string]>([
    ["right", { "x-hub-signature-256": `sha256=${sign(String(body))}` }, "taken"],
    ["of another body", { "x-hub-signature-256": `sha256=${sign("{}")}` }, "WrongKey"],
    ["without its prefix", { "x-hub-signature-256": sign(String(body)) }, "WrongKey"],
    ["with its prefix twice", { "x-hub-signature-256": `sha256=sha256=${sign(String(body))}` }, "WrongKey"],
    ["of SHA-1 only", { "x-hub-signature": "sha1=00" }, "MissingKey"],
    ["missing, a key in its place", { authorization: `Bearer ${secret}` }, "MissingKey"],
    ["sent twice", { "x-hub-signature-256": `sha256=${sign(String(body))}, sha256=00` }, "WrongKey"],
    ["one of a list", { "x-hub-signature-256": `sha256=00 sha256=${sign(String(body))}` }, "WrongKey"],
  ])("%s: %s", (_name, headers, want) => {
    expect(proof(github, headers)).toBe(want);
  });

  it("is taken by either of two secrets, and by none where there is none", () => {
    const headers = { "x-hub-signature-256": `sha256=${sign(String(body), "previous-secret-1")}` };
    expect(proof(github, headers, { secrets: [secret, "previous-secret-1"] })).toBe("taken");
    expect(proof(github, headers, { secrets: [] })).toBe("WrongKey");
  });

  it.each(["", "short"])("is never taken by the secret %j", (weak) => {
    const headers = { "x-hub-signature-256": `sha256=${sign(String(body), weak)}` };
    expect(proof(github, headers, { secrets: [weak] })).toBe("WrongKey");
  });
});

describe("a signature of Standard Webhooks", () => {
  const key = Buffer.alloc(32, 7);
  const encoded = `whsec_${key.toString("base64")}`;
  const standard = hmac({ preset: "standard-webhooks" });
  const send = (changes: IncomingHttpHeaders = {}, { id = "msg_1", at = String(nowSeconds) } = {}): string => {
    const signature = createHmac("sha256", key)
      .update(`${id}.${at}.${String(body)}`)
      .digest("base64");
    const headers = { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": `v1,${signature}` };
    return proof(standard, { ...headers, ...changes }, { secrets: [encoded] });
  };

  it("is of id, timestamp and body", () => {
    expect(send()).toBe("taken");
    expect(send({ "webhook-id": "msg_2" })).toBe("WrongKey");
    expect(send({ "webhook-timestamp": String(nowSeconds + 1) })).toBe("WrongKey");
  });

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("needs %s", (name) => {
    expect(send({ [name]: undefined })).toBe("MissingKey");
    expect(send({ [name]: "" })).toBe("MissingKey");
  });

  it("may be one of several, of which we know some", () => {
    const signature = createHmac("sha256", key)
      .update(`m.${nowSeconds}.${String(body)}`)
      .digest("base64");
    const several = (...list: string[]): string =>
      send({ "webhook-id": "m", "webhook-signature": list.join(" ") }, { id: "m" });
    expect(several("v1a,AAAA", "v1,AAAA", `v1,${signature}`)).toBe("taken");
    expect(several(`v1a,${signature}`)).toBe("WrongKey");
    const wrong = Array.from({ length: 7 }, () => "v1,AAAA");
    expect(several(...wrong, `v1,${signature}`)).toBe("taken");
    expect(several(...wrong, "v1,AAAA", `v1,${signature}`)).toBe("WrongKey");
    // Two headers of the name, as Node joins them.
    expect(several("v1,AAAA,", `v1,${signature}`)).toBe("taken");
    expect(several(`v1,${signature},`, "v1,AAAA")).toBe("taken");
  });

  it("is not taken by a secret of another form, whatever its bytes would be", () => {
    const other = "0123456789abcdef0123456789abcdef";
    const signature = createHmac("sha256", Buffer.from(other.slice(6), "base64"))
      .update(`msg_1.${nowSeconds}.${String(body)}`)
      .digest("base64");
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(nowSeconds),
      "webhook-signature": `v1,${signature}`,
    };
    expect(proof(standard, headers, { secrets: [other] })).toBe("WrongKey");
  });
});

describe("a signature with a prefix of the sender's own", () => {
  const pagerDuty = hmac({ header: "X-PagerDuty-Signature", prefix: "v1=" });
  const right = `v1=${sign(String(body))}`;
  it.each([
    { name: "alone", sent: right, want: "taken" },
    { name: "in upper case", sent: `v1=${sign(String(body)).toUpperCase()}`, want: "taken" },
    { name: "behind another", sent: `v1=${sign("{}")},${right}`, want: "taken" },
    { name: "before another", sent: `${right},v1=${sign("{}")}`, want: "taken" },
    { name: "before one of another form", sent: `${right}, v2=AAAA`, want: "taken" },
    { name: "behind a blank", sent: `v1=00 ${right}`, want: "taken" },
    { name: "behind a semicolon", sent: `t=1;${right}`, want: "taken" },
    { name: "as the eighth", sent: `${"v1=00,".repeat(7)}${right}`, want: "taken" },
    { name: "as the ninth", sent: `${"v1=00,".repeat(8)}${right}`, want: "WrongKey" },
    { name: "under another prefix alone", sent: `v2=${sign(String(body))}`, want: "WrongKey" },
    { name: "of another body", sent: `v1=${sign("{}")}`, want: "WrongKey" },
  ])("$name: $want", ({ sent, want }) => {
    expect(proof(pagerDuty, { "x-pagerduty-signature": sent })).toBe(want);
  });

  it("may have blanks and commas in it", () => {
    const own = hmac({ header: "X-Signature", prefix: "HMAC-SHA256 k=1, Signature=" });
    const sent = `HMAC-SHA256 k=1, Signature=${sign(String(body))}`;
    expect(proof(own, { "x-signature": sent })).toBe("taken");
  });

  it("is the only one where there is no prefix", () => {
    const own = hmac({ header: "X-Signature" });
    expect(proof(own, { "x-signature": sign(String(body)) })).toBe("taken");
    expect(proof(own, { "x-signature": `${sign(String(body))},00` })).toBe("WrongKey");
  });
});

describe.each([
  { name: "the tolerance of 300 s", settings: {}, tolerance: 300 },
  { name: "a tolerance of 1 s", settings: { toleranceSeconds: 1 }, tolerance: 1 },
])("a timestamp with $name", ({ settings, tolerance }) => {
  const own = hmac({ header: "X-Signature", timestampHeader: "X-Time", ...settings });
  const send = (at: string): string => proof(own, { "x-signature": sign(`${at}:${String(body)}`), "x-time": at });

  it.each([
    { offset: 0, want: "taken" },
    { offset: tolerance, want: "taken" },
    { offset: -tolerance, want: "taken" },
    { offset: tolerance + 1, want: "WrongKey" },
    { offset: -tolerance - 1, want: "WrongKey" },
  ])("$offset s from now: $want", ({ offset, want }) => {
    expect(send(String(nowSeconds + offset))).toBe(want);
  });

  it.each([
    `${nowSeconds}.0`,
    `+${nowSeconds}`,
    ` ${nowSeconds}`,
    `${nowSeconds} `,
    `${nowSeconds}s`,
    "1e9",
    "0x1",
    "now",
    "٣",
  ])("that is not digits only is refused: %j", (at) => {
    expect(send(at)).toBe("WrongKey");
  });

  it("that is missing is refused", () => {
    expect(proof(own, { "x-signature": sign(`:${String(body)}`) })).toBe("MissingKey");
    expect(proof(own, { "x-signature": sign(String(body)) })).toBe("MissingKey");
  });
});

it("says how to prove whose a request is, and repeats nothing that was sent", () => {
  const challenges = [hmac({ preset: "github" }), { type: "Header", header: "x-gitlab-token" } as const].map((one) => {
    for (const headers of [{}, { "x-hub-signature-256": "sha256=s3cret", "x-gitlab-token": "s3cret" }]) {
      try {
        requireProof(
          { authentication: one, keyHash: undefined, signingSecrets: [secret] },
          { headers, body, receivedAt },
        );
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        expect(error.message).not.toContain("s3cret");
        if (error.code === "MissingKey") return error.challenge;
      }
    }
    return undefined;
  });
  expect(challenges).toEqual(['HMAC-SHA256 header="x-hub-signature-256"', 'Token header="x-gitlab-token"']);
});
