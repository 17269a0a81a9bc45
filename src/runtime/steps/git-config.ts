import { join } from "node:path";
import type { BundleRepository } from "../../api/runtime/bundle.ts";
import type { AgentIntroduction } from "../local/messages.ts";

export interface FileToWrite {
  path: string;
  text: string;
  /** A file of the agent's container whose content goes before. */
  prefixFile?: string;
}

/**
 * The agent's own git configuration: where credentials are asked for, which authorities are trusted for which server,
 * and a name for commits. No credential is in it. People's hooks may change it like any other file of their home.
 */
export function gitFiles(repositories: readonly BundleRepository[], agent: AgentIntroduction): FileToWrite[] {
  const authorities = authoritiesByServer(repositories).map(({ origin, certificates }, index) => ({
    origin,
    file: {
      path: join(agent.home, ".runwright", `ca-${index}.pem`),
      text: certificates,
      prefixFile: agent.systemCaFile,
    },
  }));
  const lines = [
    "[user]",
    "\tname = Runwright",
    "\temail = runwright@localhost",
    "[credential]",
    // An empty one drops the helpers that the image may have set.
    "\thelper =",
    `\thelper = ${quote(`!${agent.credentialHelper}`)}`,
    "\tuseHttpPath = true",
    ...authorities.flatMap(({ origin, file }) => [`[http ${quote(origin)}]`, `\tsslCAInfo = ${quote(file.path)}`]),
  ];
  return [
    { path: join(agent.home, ".gitconfig"), text: `${lines.join("\n")}\n` },
    ...authorities.map(({ file }) => file),
  ];
}

/** Submodules and large files lie on the same server, so what is trusted for one of its URLs is trusted for all. */
function authoritiesByServer(repositories: readonly BundleRepository[]): { origin: string; certificates: string }[] {
  const byOrigin = new Map<string, Set<string>>();
  for (const { url, caCertificates } of repositories) {
    if (caCertificates === undefined) continue;
    const { origin } = new URL(url);
    byOrigin.set(origin, (byOrigin.get(origin) ?? new Set()).add(caCertificates.trim()));
  }
  return [...byOrigin].map(([origin, texts]) => ({ origin, certificates: `\n${[...texts].join("\n")}\n` }));
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}
