import { describe, expect, it } from "vitest";

import { releasedValues } from "./chart-values.ts";

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const runbooks = "https://github.com/acme/runwright/blob/v0.1.0/docs/operate/alerts";
const images = { registry: "ghcr.io/acme", operator: digest("a"), sandbox: digest("b"), runbooks };
const values = `# The operator's.
image:
  repository: runwright
  tag: ""
  # Wins over the tag.
  digest: ""
sandbox:
  image: {repository: runwright-sandbox, digest: ""}
prometheusRule: {runbooks: ""}
replicas: 2
`;

describe("releasedValues", () => {
  it("names both images and leaves the rest as it was", () => {
    expect(releasedValues(values, images)).toBe(`# The operator's.
image:
  repository: ghcr.io/acme/runwright
  tag: ""
  # Wins over the tag.
  digest: "${digest("a")}"
sandbox:
  image: {repository: ghcr.io/acme/runwright-sandbox, digest: "${digest("b")}"}
prometheusRule: {runbooks: "${runbooks}"}
replicas: 2
`);
  });

  it.each([
    { name: "an owner in capitals", given: { registry: "ghcr.io/Acme" }, says: '--registry is "ghcr.io/Acme"' },
    { name: "a registry without an owner", given: { registry: "ghcr.io" }, says: "--registry" },
    { name: "no registry", given: { registry: "" }, says: "--registry" },
    { name: "no operator", given: { operator: "" }, says: "--operator" },
    { name: "runbooks that are no URL", given: { runbooks: "docs/operate/alerts" }, says: "--runbooks" },
    { name: "runbooks with a slash at their end", given: { runbooks: `${runbooks}/` }, says: "--runbooks" },
    { name: "63 digits", given: { sandbox: digest("b").slice(0, -1) }, says: "--sandbox" },
    { name: "65 digits", given: { sandbox: `${digest("b")}b` }, says: "--sandbox" },
  ])("refuses $name", ({ given, says }) => {
    expect(() => releasedValues(values, { ...images, ...given })).toThrow(says);
  });

  it("takes a registry with a port and folders", () => {
    const registry = "registry.example.com:5000/team/agents";
    expect(releasedValues(values, { ...images, registry })).toContain(`repository: ${registry}/runwright\n`);
  });

  it("names a value that the chart no longer has", () => {
    expect(() => releasedValues("image: {}\n", images)).toThrow("the chart has no value image.repository");
  });
});
