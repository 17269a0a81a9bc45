import { generateKeyPairSync, verify } from "node:crypto";

import { expect, it } from "vitest";

import { FakeClock } from "./fake-clock.ts";
import { RsaSigner } from "./rsa-signer.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const isOurs = (text: string, signature: string): boolean =>
  verify("sha256", Buffer.from(text), publicKey, Buffer.from(signature, "base64url"));

it("signs with RSA and SHA-256", async () => {
  const signature = await new RsaSigner(new FakeClock()).sign("a.ü", { key, sharer: "shop" });
  expect([isOurs("a.ü", signature), isOurs("a.u", signature)]).toEqual([true, false]);
});

it("has those who share it take turns, so that many texts of one keep no other waiting", async () => {
  const signer = new RsaSigner(new FakeClock());
  const ended: string[] = [];
  const sign = async (sharer: string, text: string): Promise<void> => {
    await signer.sign(text, { key, sharer });
    ended.push(text);
  };
  await Promise.all([sign("shop", "s1"), sign("shop", "s2"), sign("shop", "s3"), sign("site", "t1")]);
  expect(ended).toEqual(["s1", "s2", "t1", "s3"]);
});

it("says that a key cannot sign, and goes on with the next", async () => {
  const signer = new RsaSigner(new FakeClock());
  const first = signer.sign("a", { key: "none", sharer: "shop" });
  const second = signer.sign("b", { key, sharer: "shop" });
  await expect(first).rejects.toThrow("the key cannot sign");
  expect(isOurs("b", await second)).toBe(true);
});

it("gives a signature two seconds, and goes on with the next", async () => {
  const clock = new FakeClock();
  const signer = new RsaSigner(clock);
  const first = signer.sign("a", { key, sharer: "shop" });
  clock.advance(1_999);
  expect(isOurs("a", await first)).toBe(true);
  const second = signer.sign("b", { key, sharer: "shop" });
  const third = signer.sign("c", { key, sharer: "shop" });
  clock.advance(2_000);
  await expect(second).rejects.toThrow("the signature took more than 2 seconds");
  expect(isOurs("c", await third)).toBe(true);
});
