import { expect, it } from "vitest";

import { compareVersions } from "./compare-versions.ts";

const all = (version: string): { process: string; version: string }[] =>
  ["controller", "gateway", "ingress"].map((process) => ({ process, version }));

it("has nothing to say where all are the same", () => {
  expect(compareVersions("1.2.0", all("1.2.0"))).toEqual({ server: "1.2.0", comparison: "Same", message: undefined });
});

it.each(["1.1.9", "1.2.1", "1.2.0-rc.1"])("names the plugin's release that fits an operator of %s", (server) => {
  expect(compareVersions("1.2.0", all(server))).toMatchObject({
    server,
    comparison: "Different",
    message: expect.stringMatching(`Install the plugin of release ${server}\\.$`) as string,
  });
});

it("names each process while an upgrade goes on, also where one has the plugin's version", () => {
  const processes = [
    { process: "controller", version: "1.2.0" },
    { process: "gateway", version: "1.1.0" },
  ];
  expect(compareVersions("1.2.0", processes)).toMatchObject({
    server: "1.2.0 (controller), 1.1.0 (gateway)",
    comparison: "Mixed",
    message: expect.stringContaining("upgrade") as string,
  });
});
