import { z } from "zod";

import { Session, type SessionSpec } from "../../api/v1alpha1/index.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { duration, oneOf } from "../arguments/value-types.ts";
import { misuse } from "../cli-error.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { shownAs } from "../output/listed.ts";

const flags = {
  repository: {
    value: "NAME[@BRANCH]",
    repeats: true,
    about: "work on this Repository, from its own branch or from BRANCH; may be given more than once",
  },
  environment: { value: "NAME", about: "work on this Environment" },
  class: { value: "NAME", about: "SandboxClass of its sandboxes (default: the default class)" },
  title: { value: "TEXT", about: "name that people see, at most 200 characters" },
  "run-as": { value: "NAME", about: "ServiceAccount of its sandboxes (default: runwright-sandbox)" },
  "idle-timeout": {
    value: "DURATION",
    type: duration,
    about: "how long its sandbox stays without a prompt, such as 1h",
  },
  "dry-run": {
    value: "WHERE",
    type: oneOf(["client", "server"]),
    about: "store nothing: client asks no cluster, server asks it whether it would take the Session",
  },
} as const;

export const sessionCreate = defineCommand({
  name: "session create",
  summary: "create a Session, a conversation with an agent",
  details:
    "Creates it with your own permissions. Without --repository and --environment it has an empty workspace. Its first sandbox starts at once, and waits for a prompt as long as --idle-timeout says. --dry-run=client -o yaml prints the manifest, for everything that no flag sets.",
  parameters: ["SESSION"],
  flags,
  formats: ["json", "yaml", "name"],
  examples: [
    "session create demo/upgrade --repository checkout",
    "session create demo/upgrade --repository checkout@release-2",
    'session create upgrade -n demo --environment shop --title "Upgrade the framework" --idle-timeout 1h',
    "session create demo/upgrade --repository checkout --dry-run=client -o yaml",
  ],
  async run(invocation) {
    const where = invocation.flags["dry-run"];
    const wanted = sessionOf(invocation);
    const name = `Session ${keyText(keyOf(wanted))}`;
    if (where === "client") return { text: `${name} would be created (dry run)`, ...shownAs(Session, wanted) };
    const { client } = invocation.cluster();
    const stored = await client.create<Session>(Session, wanted, { dryRun: where === "server" });
    const next = `Send it a prompt: kubectl runwright prompt ${keyText(keyOf(wanted))} TEXT`;
    const text = where === "server" ? `${name} would be created (server dry run)` : `${name} was created\n${next}`;
    return { text, ...shownAs(Session, stored) };
  },
});

/** The manifest; what no flag sets is left to the API server's defaults. @throws CliError for what it would refuse */
function sessionOf(invocation: Invocation<typeof flags>): Session {
  const { repository, environment, class: sandboxClassName, title, "run-as": serviceAccountName } = invocation.flags;
  const { namespace, name } = nameArgument("Session", invocation);
  const idleMs = invocation.flags["idle-timeout"]?.ms;
  const spec = {
    ...(title !== undefined && { title }),
    target: {
      ...(repository.length > 0 && { repositoryRefs: repository.map(repositoryRef) }),
      ...(environment !== undefined && { environmentRef: { name: environment } }),
    },
    ...(sandboxClassName !== undefined && { sandboxClassName }),
    ...(serviceAccountName !== undefined && { serviceAccountName }),
    ...(idleMs !== undefined && { idleTimeoutSeconds: Math.ceil(idleMs / 1_000) }),
  };
  const { error } = Session.schema.safeParse({ spec });
  if (error) throw misuse(`this Session would be refused:\n${z.prettifyError(error)}`, sessionCreate.name);
  return { metadata: { name, namespace }, spec: spec as SessionSpec };
}

/** Names of Repositories have no "@", names of branches may have. */
function repositoryRef(text: string): { name: string; branch?: string } {
  const at = text.indexOf("@");
  return at < 0 ? { name: text } : { name: text.slice(0, at), branch: text.slice(at + 1) };
}
