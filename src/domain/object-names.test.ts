import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { keyedRunName, randomName, randomNameBytes } from "./object-names.ts";

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

describe("run names", () => {
  const automation = { name: "triage-alerts", uid: "0e5f6a1e-8f6e-4c55-9b9e-0f0a4d1c2b3a" };

  it("are the same for the same key", () => {
    expect(keyedRunName(automation, "d1")).toBe(keyedRunName({ ...automation }, "d1"));
    expect(keyedRunName(automation, "d1")).toMatch(/^triage-alerts-[a-z2-7]{26}$/);
  });

  it.each([
    ["case", "d1", "D1"],
    ["blanks", "d1", " d1"],
    ["unpaired surrogates", "\ud800", "\ud801"],
    ["Unicode forms", "\u00e9", "e\u0301"],
  ])("differ by %s", (_what, one, other) => {
    expect(keyedRunName(automation, one)).not.toBe(keyedRunName(automation, other));
  });

  it("differ by automation, also by one that has the name again", () => {
    expect(keyedRunName(automation, "d1")).not.toBe(keyedRunName({ ...automation, uid: "other" }, "d1"));
  });

  it("begin with at most 30 characters of the automation's and are DNS labels", () => {
    expect(keyedRunName({ ...automation, name: "a".repeat(29) + "--b" }, "k")).toMatch(/^a{29}-[a-z2-7]{26}$/);
    const bytes = fc.uint8Array({ minLength: randomNameBytes, maxLength: randomNameBytes });
    fc.assert(
      fc.property(label, fc.string(), bytes, (name, key, random) => {
        const names = [keyedRunName({ name, uid: "u" }, key), randomName(name, random)];
        // A Session's name adds up to three characters.
        for (const one of names) expect(one).toSatisfy((text: string) => dnsLabel.test(text) && text.length <= 60);
        expect(names[1]).toMatch(/-[a-z2-7]{10}$/);
      }),
    );
  });
});
