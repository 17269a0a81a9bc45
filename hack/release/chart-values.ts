import { parseDocument } from "yaml";

/** The images of one release, as the registry has them. */
export interface ReleasedImages {
  /** Registry and owner that both images are below, such as `ghcr.io/acme`; in lower case, as names of images are. */
  registry: string;
  /** Digest of the operator's image, `sha256:…`. */
  operator: string;
  /** Digest of the sandboxes' image, `sha256:…`. */
  sandbox: string;
  /** URL of this version's pages of alerts. */
  runbooks: string;
}

const registryPattern = /^[a-z0-9.-]+(:[0-9]+)?(\/[a-z0-9]+([._-][a-z0-9]+)*)+$/;
const urlPattern = /^https:\/\/\S+[^\s/]$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

/**
 * The chart's values with both images named by repository and digest and with the runbooks of its alerts, so that the packaged chart can be installed without
 * values; comments stay. Throws an error that names the argument and what it must be.
 */
export function releasedValues(values: string, { registry, operator, sandbox, runbooks }: ReleasedImages): string {
  check("--registry", registry, registryPattern, "a registry and an owner in lower case, such as ghcr.io/acme");
  check("--operator", operator, digestPattern, "a digest, sha256: and 64 hexadecimal digits");
  check("--sandbox", sandbox, digestPattern, "a digest, sha256: and 64 hexadecimal digits");
  check("--runbooks", runbooks, urlPattern, "a URL with https and no slash at its end");
  const document = parseDocument(values);
  const written = [
    [["image", "repository"], `${registry}/runwright`],
    [["image", "digest"], operator],
    [["sandbox", "image", "repository"], `${registry}/runwright-sandbox`],
    [["sandbox", "image", "digest"], sandbox],
    [["prometheusRule", "runbooks"], runbooks],
  ] as const;
  for (const [path, value] of written) {
    if (!document.hasIn(path)) throw new Error(`the chart has no value ${path.join(".")}`);
    document.setIn(path, value);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function check(argument: string, value: string, pattern: RegExp, what: string): void {
  if (!pattern.test(value)) throw new Error(`${argument} is ${JSON.stringify(value)}, but it must be ${what}`);
}
