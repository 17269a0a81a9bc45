import type { Group } from "../support/attempt.ts";

const foreign = { counted: "gateway AgentCredentialForeign" };
let ofHooks: Record<string, unknown> = {};
let ofGit: Record<string, unknown> = {};

/** They ran when the sandbox booted; what they got lies in its workspace. */
export const hooks: Group = {
  title: "setup.sh of a repository gets nothing for",
  file: "groups/repository.ts",
  attempts: [
    { name: "a connection as the agent's container", outcome: "closed", counted: "gateway AgentImpersonated" },
    { name: "the archive of a transfer", outcome: "closed", counted: "gateway AgentMalformed" },
    { name: "a run of its own in the agent's container", outcome: "closed", counted: "gateway AgentMalformed" },
    { name: "a credential of another host", outcome: "{}", ...foreign },
    { name: "the runtime's token" },
    { name: "the runtime's process" },
  ],
  async run({ hooked }) {
    const { hook, git } = await hooked.report("git.mjs");
    ofHooks = hook as Record<string, unknown>;
    ofGit = git as Record<string, unknown>;
    return ofHooks;
  },
};

export const repository: Group = {
  title: "a repository does not have git send the credential elsewhere, or run a command, by",
  file: "groups/repository.ts",
  attempts: [
    { name: "url.insteadOf to another host", ...foreign },
    { name: "a push to another host", ...foreign },
    { name: "a submodule on another host", ...foreign },
    { name: "large files on another host (.lfsconfig)", ...foreign },
    { name: "a redirect to another repository" },
    { name: "another repository of the same server", ...foreign },
    { name: "its own repository without TLS", ...foreign },
    { name: "another port of its server", ...foreign },
    { name: "a host with a line break in it", ...foreign },
    { name: "a submodule by a command (ext::)" },
    { name: "a submodule of the container's files (file://)" },
    { name: "a submodule whose URL is an option" },
    { name: "a submodule whose update is a command" },
  ],
  run: () => Promise.resolve(ofGit),
};

/** The runtime asked git where the agent's commit is, in a checkout whose configuration is hostile. */
export const afterHooks: Group = {
  title: "a hostile .git/config does not",
  file: "groups/repository.ts",
  attempts: [
    { name: "have the runtime's own git send the credential to another host", ...foreign },
    { name: "run code of .git/config, hooks and attributes outside of the agent's container" },
    { name: "asked", outcome: true, isControl: true },
    { name: "ran", outcome: ["filter", "fsmonitor", "helper", "hook", "sshCommand"], isControl: true },
  ],
  run: ({ hooked }) => hooked.report("git-afterwards.mjs"),
};
