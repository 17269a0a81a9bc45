import type { Progress } from "../lib/progress.ts";
import { ensureNpmProgram } from "./npm-program.ts";

/** GitHub's own description of its REST API, an OpenAPI document; the package is too large for what everybody installs. */
const description = {
  name: "@octokit/openapi",
  version: "23.0.2",
  integrity: "sha512-pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==",
  path: "generated/api.github.com.json",
};

/** Gives the path of the description, fetched from npm the first time. */
export function ensureGitHubDescription(progress: Progress): Promise<string> {
  return ensureNpmProgram(description, progress);
}
