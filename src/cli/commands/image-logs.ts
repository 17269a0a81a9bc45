import type { PrebuiltImage } from "../../api/v1alpha1/index.ts";
import { keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { CliError, misuse } from "../cli-error.ts";
import { existingImage } from "../cluster/existing-objects.ts";
import { defineCommand } from "../command.ts";
import { printEvents } from "../gateway/event-log.ts";

const flags = {
  follow: { short: "f", about: "print new output until no build goes on" },
  build: { value: "NUMBER", about: "of this build (default: the one that goes on, else the last that ended)" },
} as const;

/** No attempt has an event after this one: the position from which the next attempt is read. */
const lastNumber = "9007199254740991";

export const imageLogs = defineCommand({
  name: "image logs",
  summary: "show the output of a build of a PrebuiltImage: clone and setup.sh",
  details:
    "Works also after the build's pod is gone, for the last ten builds. Lines that begin with # come from Runwright. With -o json each event is a line of JSON. Needs permission to get prebuiltimages/log, which the role view has.",
  parameters: ["IMAGE"],
  flags,
  formats: ["json"],
  examples: ["image logs demo/checkout -f", "image logs checkout -n demo --build 7"],
  async run(invocation) {
    const id = nameArgument("PrebuiltImage", invocation);
    const attempt = wanted(invocation.flags.build) ?? latestOf(await existingImage(invocation.cluster(), id));
    const path = `/prebuilt-images/${id.namespace}.${id.name}/events?follow=${String(invocation.flags.follow)}`;
    const after = attempt > 1 ? { after: `${attempt - 1}.${lastNumber}` } : {};
    await printEvents(invocation, {
      ...{ namespace: id.namespace, path, what: `image logs ${keyText(id)}` },
      ...after,
      attempt,
    });
    return undefined;
  },
});

function wanted(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw misuse(`--build is ${JSON.stringify(text)}, but must be the number of a build, such as 7`);
}

/** The build that goes on, else the last that ended. @throws CliError where there was none */
function latestOf({ metadata, status }: PrebuiltImage): number {
  const number = status?.build?.number ?? status?.builds?.[0]?.number;
  if (number !== undefined) return number;
  throw new CliError(`PrebuiltImage ${metadata.namespace ?? ""}/${metadata.name ?? ""} has not been built yet`);
}
