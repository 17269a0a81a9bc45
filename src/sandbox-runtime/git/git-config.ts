import { join } from "node:path";
import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { isSshUrl } from "../../api/v1alpha1/clone-url.ts";
import { keyAgentSocket } from "../ssh/key-agent.ts";
import { pushWatchSocket } from "./push-watch.ts";
import type { AgentIntroduction } from "../local/messages.ts";

export interface FileToWrite {
  path: string;
  text: string;
  /** A file of the agent's container whose content comes before `text`. */
  prefixFile?: string;
}

/**
 * The git configuration of the agent's user: the credential helper, certificate authorities by server, ssh options by
 * checkout, an author for commits, and where git tells of pushes. It holds no credential, and hooks may change it.
 */
export function gitFiles(
  repositories: readonly BundleRepository[],
  agent: AgentIntroduction,
  socketDirectory: string,
): FileToWrite[] {
  const authorities = authoritiesByServer(repositories).map(({ origin, certificates }, index) => ({
    origin,
    file: {
      path: join(agent.home, ".runwright", `ca-${index}.pem`),
      text: certificates,
      prefixFile: agent.systemCaFile,
    },
  }));
  const overSsh = sshConfigurations(repositories, agent, socketDirectory);
  const lines = [
    "[user]",
    "\tname = Runwright",
    "\temail = runwright@localhost",
    "[credential]",
    // An empty helper drops those that the image may have set.
    "\thelper =",
    `\thelper = ${quote(`!${agent.credentialHelper}`)}`,
    "\tuseHttpPath = true",
    "[trace2]",
    `\teventTarget = ${quote(`af_unix:stream:${pushWatchSocket(socketDirectory)}`)}`,
    ...authorities.flatMap(({ origin, file }) => [`[http ${quote(origin)}]`, `\tsslCAInfo = ${quote(file.path)}`]),
    ...overSsh.flatMap(({ checkout, config }) => [
      `[includeIf ${quote(`gitdir:${checkout}/`)}]`,
      `\tpath = ${quote(config.path)}`,
    ]),
  ];
  return [
    { path: join(agent.home, ".gitconfig"), text: `${lines.join("\n")}\n` },
    ...authorities.map(({ file }) => file),
    ...overSsh.flatMap(({ config, knownHosts }) => [config, knownHosts]),
  ];
}

/** By server, since submodules and large files have other URLs on the same server. */
function authoritiesByServer(repositories: readonly BundleRepository[]): { origin: string; certificates: string }[] {
  const byOrigin = new Map<string, Set<string>>();
  for (const { url, caCertificates } of repositories) {
    if (caCertificates === undefined || isSshUrl(url)) continue;
    const { origin } = new URL(url);
    byOrigin.set(origin, (byOrigin.get(origin) ?? new Set()).add(caCertificates.trim()));
  }
  return [...byOrigin].map(([origin, texts]) => ({ origin, certificates: `\n${[...texts].join("\n")}\n` }));
}

interface SshConfiguration {
  checkout: string;
  config: FileToWrite;
  knownHosts: FileToWrite;
}

/** By checkout, so that each repository of a server has its own key; its submodules are fetched with that key. */
function sshConfigurations(
  repositories: readonly BundleRepository[],
  { home, workspace }: AgentIntroduction,
  socketDirectory: string,
): SshConfiguration[] {
  return repositories.flatMap(({ name, sshKey }, index) => {
    if (!sshKey) return [];
    const knownHosts = { path: join(home, ".runwright", `ssh-${index}.known_hosts`), text: `${sshKey.knownHosts}\n` };
    const options = [
      `IdentityAgent=${keyAgentSocket(socketDirectory, index)}`,
      `UserKnownHostsFile=${knownHosts.path}`,
      ...sshOptions,
    ];
    const command = `ssh ${options.map((option) => `-o '${option}'`).join(" ")}`;
    const config = {
      path: join(home, ".runwright", `ssh-${index}.gitconfig`),
      text: `[core]\n\tsshCommand = ${quote(command)}\n`,
    };
    return [{ checkout: join(workspace, name), config, knownHosts }];
  });
}

/** Only this key and these known hosts; ssh fails rather than asks. */
const sshOptions = [
  "GlobalKnownHostsFile=/dev/null",
  "StrictHostKeyChecking=yes",
  "UpdateHostKeys=no",
  "PreferredAuthentications=publickey",
  "IdentityFile=none",
  "BatchMode=yes",
  "ConnectTimeout=30",
];

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}
