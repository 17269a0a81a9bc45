import fc from "fast-check";
import { expect, it } from "vitest";

import { redacted, Redactor, secretsOf, shortestSecret, withEncodedForms, withoutSecrets } from "./redaction.ts";

it.each([
  { name: "whole", pieces: ["the key is hunter22."], want: "the key is ***." },
  { name: "cut anywhere", pieces: ["the key is h", "unter", "22."], want: "the key is ***." },
  { name: "twice, side by side", pieces: ["hunter22hunter22"], want: "******" },
  { name: "begun and not ended", pieces: ["hunter2", "1"], want: "hunter21" },
  { name: "begun at the end", pieces: ["hunter2"], want: "hunter2" },
  { name: "the longer of two with one beginning", pieces: ["hunter22", "-and-more"], want: "***" },
  { name: "the shorter of two with one beginning", pieces: ["hunter22", "-and-less"], want: "***-and-less" },
  { name: "two that overlap", pieces: ["xxhunter", "22hunt"], want: "***hunt" },
])("takes out a secret that is $name", ({ pieces, want }) => {
  expect(inPieces(["hunter22", "hunter22-and-more", "xxhunter"], pieces)).toBe(want);
});

it("tells the same however the text is cut, and never a secret", () => {
  const letters = (min: number, max: number) =>
    fc.string({ unit: fc.constantFrom("a", "b"), minLength: min, maxLength: max });
  fc.assert(
    fc.property(
      fc.array(letters(2, 6), { maxLength: 4 }),
      fc.array(letters(0, 12), { maxLength: 8 }),
      (secrets, pieces) => {
        const told = inPieces(secrets, pieces);
        expect(told).toBe(inPieces(secrets, [pieces.join("")]));
        for (const secret of secrets) expect(told).not.toContain(secret);
        if (!secrets.some((secret) => pieces.join("").includes(secret))) expect(told).toBe(pieces.join(""));
      },
    ),
  );
});

it("holds back no more than the longest secret, whatever comes", () => {
  const redactor = new Redactor(["aaaaaaaa"]);
  const told = Array.from({ length: 100 }, () => redactor.take("aaaa")).join("") + redactor.end();
  expect(told).toBe(redacted);
});

it("knows values of secrets and git credentials, whole and by lines, from a length on that is no word's", () => {
  const short = "x".repeat(shortestSecret - 1);
  const long = "y".repeat(shortestSecret);
  const repository = { name: "r", url: "https://git/r", branch: "main" };
  const found = secretsOf({
    environment: { SHORT: short, LONG: long, PEM: "-----BEGIN\nabcdefgh\n" },
    repositories: [repository, { ...repository, credential: { username: "robot", password: "password1" } }],
  });
  const values = [long, "-----BEGIN\nabcdefgh", "-----BEGIN", "abcdefgh", "password1"];
  expect(found).toEqual(withEncodedForms(values));
  expect(found.slice(0, values.length)).toEqual(values);
});

it.each([
  { name: "3 characters of two bytes and one of one, below", value: "éééx", isSecret: false },
  { name: "4 characters of two bytes, at", value: "éééé", isSecret: true },
  { name: "5 characters of two bytes, above", value: "ééééé", isSecret: true },
  { name: "2 characters of three bytes and one of one, below", value: "密码x", isSecret: false },
  { name: "2 characters of four bytes, at", value: "🔑🔑", isSecret: true },
  { name: "3 characters of three bytes, above", value: "密码密", isSecret: true },
])("counts bytes: $name the limit", ({ value, isSecret }) => {
  expect(secretsOf({ environment: { VALUE: value }, repositories: [] })).toEqual(
    isSecret ? withEncodedForms([value]) : [],
  );
});

it("takes secrets out of what is said of boots, prompts and tools, and leaves the rest", () => {
  const prompt = { name: "hunter22", uid: "u" };
  const clean = (message: Parameters<typeof withoutSecrets>[0]) => withoutSecrets(message, ["hunter22", "succeeded"]);
  const failure = { phase: "clone", reason: "CloneFailed", message: "hunter22 was refused" } as const;
  expect(clean({ type: "bootFailed", failure })).toMatchObject({ failure: { ...failure, message: "*** was refused" } });
  const outcome = { prompt, verdict: "succeeded", message: "a hunter22", summary: "b hunter22", branch: "c" } as const;
  expect(clean({ type: "promptFinished", outcome })).toEqual({
    type: "promptFinished",
    outcome: { ...outcome, message: "a ***", summary: "b ***" },
  });
  const pullRequest = { title: "c hunter22", body: "d hunter22" };
  expect(clean({ type: "promptFinished", outcome: { ...outcome, pullRequest } })).toMatchObject({
    outcome: { pullRequest: { title: "c ***", body: "d ***" } },
  });
  const file = {
    digest: `sha256:${"0".repeat(64)}`,
    mediaType: "image/png",
    fileName: "hunter22.png",
    bytes: 8,
  } as const;
  expect(
    clean({ type: "promptFinished", outcome: { ...outcome, media: { files: [file], leftOut: 0 } } }),
  ).toMatchObject({ outcome: { media: { files: [{ ...file, fileName: "***.png" }], leftOut: 0 } } });
  const tool = { kind: "tool", promptUid: "u", tool: "1", title: "curl hunter22", state: "succeeded" } as const;
  expect(clean({ type: "event", event: tool })).toEqual({ type: "event", event: { ...tool, title: "curl ***" } });
  expect(clean({ type: "ready" })).toEqual({ type: "ready" });
});

function inPieces(secrets: readonly string[], pieces: readonly string[]): string {
  const redactor = new Redactor(secrets);
  return pieces.map((piece) => redactor.take(piece)).join("") + redactor.end();
}
