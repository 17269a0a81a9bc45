import { expect, it } from "vitest";
import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { gitFiles } from "./git-config.ts";

const agent = {
  type: "agent",
  workspace: "/w",
  home: "/h",
  program: ["/x"],
  credentialHelper: `'/x y/node' "z"`,
  systemCaFile: "/etc/ca.crt",
} as const;
const repository = (url: string, caCertificates?: string): BundleRepository => ({
  name: "n",
  url,
  branch: "main",
  credential: { username: "u", password: "planted" },
  ...(caCertificates === undefined ? {} : { caCertificates }),
});

it("asks the helper for credentials and holds none", () => {
  const files = gitFiles([repository("https://h/a")], agent, "/s");
  expect(files.map(({ path }) => path)).toEqual(["/h/.gitconfig"]);
  expect(files[0]?.text).toContain(`helper = "!'/x y/node' \\"z\\""`);
  expect(files[0]?.text).toContain('[trace2]\n\teventTarget = "af_unix:stream:/s/git-trace.sock"\n');
  expect(JSON.stringify(files)).not.toContain("planted");
});

it("trusts a repository's authorities for its server alone, beside the image's own", () => {
  const files = gitFiles(
    [
      repository("https://h/a", "CA-1"),
      repository("https://h/b", "CA-2"),
      repository("https://h:444/c", "CA-3"),
      repository("https://i/d"),
    ],
    agent,
    "/s",
  );
  expect(files.slice(1)).toEqual([
    { path: "/h/.runwright/ca-0.pem", text: "\nCA-1\nCA-2\n", prefixFile: "/etc/ca.crt" },
    { path: "/h/.runwright/ca-1.pem", text: "\nCA-3\n", prefixFile: "/etc/ca.crt" },
  ]);
  expect(files[0]?.text).toContain('[http "https://h"]\n\tsslCAInfo = "/h/.runwright/ca-0.pem"\n');
  expect(files[0]?.text).toContain('[http "https://h:444"]');
  expect(files[0]?.text).not.toContain('"https://i"');
});
