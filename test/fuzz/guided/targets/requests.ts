import { createHmac } from "node:crypto";

import type { HmacAuthentication } from "../../../../src/api/v1alpha1/index.ts";
import { Refusal } from "../../../../src/domain/deliveries/refusal.ts";
import { signatureScheme } from "../../../../src/domain/deliveries/signature-scheme.ts";
import { compilePath, resolvePath } from "../../../../src/domain/filters/path.ts";
import { bearerKey } from "../../../../src/ingress/bearer.ts";
import { requireProof } from "../../../../src/ingress/credentials.ts";
import { requireJson } from "../../../../src/ingress/media-type.ts";
import { parseNamespacedName } from "../../../../src/lib/namespaced-name.ts";
import { outcomeOf } from "../../property.ts";
import { must, type Target } from "../target.ts";

const isRefusal = (error: unknown): boolean => error instanceof Refusal;
const secret = "0123456789abcdef0123456789abcdef";
const body = Buffer.from("{}");
const receivedAt = new Date("2026-05-04T10:15:00.000Z");

function signed(hmac: HmacAuthentication, headers: Record<string, string>): boolean {
  const authentication = { type: "HMAC" as const, scheme: signatureScheme(hmac) };
  const endpoint = { authentication, keyHash: undefined, signingSecrets: [secret] };
  return outcomeOf(() => requireProof(endpoint, { headers, body, receivedAt }), isRefusal) !== "refused";
}

const isLabel = (text: string): boolean => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);

/** What comes before a body: headers and the id in the path. */
export const requestTargets: readonly Target[] = [
  {
    name: "content-type",
    seeds: [
      "application/json",
      'Application/JSON; charset="utf-8"',
      "application/json;a=b;charset=UTF-8 ",
      "application/cloudevents+json; charset=utf8",
      "text/plain",
    ],
    take(input) {
      const text = input.toString("latin1");
      const outcome = outcomeOf(() => requireJson({ "content-type": text }), isRefusal);
      must(outcome === "refused" || /^application\/([^ \t;,]+\+)?json[ \t]*(;|$)/i.test(text), "only JSON is taken");
    },
  },
  {
    name: "authorization",
    seeds: ["Bearer abc", "bearer   a b", "Basic abc", "Bearer "],
    take(input) {
      const text = input.toString("latin1");
      const key = outcomeOf(() => bearerKey(text), isRefusal);
      if (key === "refused" || key.value === undefined) return;
      must(/^bearer /i.test(text) && text.endsWith(key.value) && key.value !== "", "a key stands behind Bearer");
    },
  },
  {
    name: "signature",
    seeds: [
      `sha256=${"0".repeat(64)}`,
      `v1,${createHmac("sha256", "another").update(body).digest("base64")} v1a,AAAA`,
      "v0=00 v1,",
    ],
    take(input) {
      const text = input.toString("latin1");
      must(!signed({ preset: "github" }, { "x-hub-signature-256": text }), "no signature can be guessed");
      const headers = { "webhook-id": "a", "webhook-timestamp": String(receivedAt.getTime() / 1_000) };
      must(!signed({ preset: "standard-webhooks" }, { ...headers, "webhook-signature": text }), "nor one of a list");
    },
  },
  {
    name: "automation-id",
    seeds: ["team-a.triage-alerts", "a.b.c", "A.b", "a.", `${"a".repeat(63)}.${"b".repeat(64)}`],
    take(input) {
      const text = input.toString("utf8");
      const id = parseNamespacedName(text);
      const parts = text.split(".");
      const [namespace, name] = parts;
      if (id) must(parts.length === 2 && id.namespace === namespace && id.name === name, "an id is read as it stands");
      must((id !== undefined) === (parts.length === 2 && parts.every(isLabel)), "an id is two DNS labels");
    },
  },
  {
    name: "filter-path",
    seeds: ["$.a.b", "$.__proto__.x", "$.a[0]", "$..a", "$", "$.constructor.name"],
    take(input) {
      const path = compilePath(input.toString("utf8"));
      if (!path) return;
      const found = resolvePath(JSON.parse('{"a":{"b":1},"length":2,"__proto__":{"x":true}}'), path);
      must(!("value" in found) || typeof found.value !== "function", "a path finds nothing but JSON");
    },
  },
];
