import { describe, expect, it } from "vitest";

import { readCorpus } from "./corpus.ts";
import { targets } from "./targets.ts";

describe.each(targets)("$name", ({ name, seeds, take }) => {
  it("takes its seeds", async () => {
    for (const seed of seeds) await take(Buffer.from(seed));
  });

  it("takes every input that was kept", async () => {
    const inputs = await readCorpus(name);
    expect(inputs.length, `test/fuzz/corpora/${name}.json is kept with the tests`).toBeGreaterThan(0);
    for (const input of inputs) await take(input);
  });
});
