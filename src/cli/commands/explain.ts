import { z } from "zod";

import { Automation, Integration, Repository, Run, triggeringIntegrationName } from "../../api/v1alpha1/index.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingAutomation } from "../cluster/existing-objects.ts";
import { kubectlDocuments } from "../arguments/kubectl-yaml.ts";
import { keyText } from "../../lib/resource.ts";
import { CliError, misuse } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { defineCommand } from "../command.ts";
import type { GitHubSurroundings } from "./explain-github.ts";
import { explainDelivery } from "./explain-filters.ts";
import { explanationText, type Explanation } from "./explanation.ts";
import { readInput } from "../arguments/read-input.ts";

export const explain = defineCommand({
  name: "explain",
  summary: "show whether a payload would start a Run, filter by filter",
  details:
    "Decides with the code of ingress and connector, and sends nothing; keys and signatures are not checked. Limits on the rate and on unfinished Runs are not checked. With --automation-file and NAMESPACE/NAME it needs no cluster.",
  parameters: ["AUTOMATION"],
  flags: {
    filename: { short: "f", value: "FILE", about: "file with the payload; - reads standard input" },
    header: {
      value: "HEADER",
      repeats: true,
      about:
        "header of the delivery: for type GitHub 'X-GitHub-Event: issues', for webhooks such as 'X-GitHub-Delivery: 72d3162e' where idempotencyKeyFrom names one",
    },
    "automation-file": { value: "FILE", about: "manifest with the Automation, instead of the cluster" },
  },
  formats: ["json", "yaml"],
  examples: [
    "explain demo/triage-alerts -f payload.json",
    "explain demo/triage-alerts -f payload.json --automation-file automation.yaml",
    "explain demo/review -f payload.json --header X-GitHub-Delivery:72d3162e",
    "explain demo/fix-ci -f payload.json --header X-GitHub-Event:workflow_run",
    "explain demo/ops -f slack-event.json",
  ],
  async run(invocation) {
    const { filename, "automation-file": manifest } = invocation.flags;
    if (filename === undefined)
      throw misuse("explain needs the payload: -f FILE, or -f - for standard input", explain.name);
    const id = nameArgument("Automation", invocation);
    const delivery = { payload: await readInput(filename), headers: headersIn(invocation.flags.header) };
    const explanation =
      manifest === undefined
        ? await explainStored(invocation.cluster(), id, delivery)
        : explainDelivery(await automationIn(manifest, id), delivery.payload, delivery.headers);
    return { text: explanationText(explanation), json: { automation: keyText(id), ...explanation } };
  },
});

interface GivenDelivery {
  payload: Buffer;
  /** By names in lower case. */
  headers: Record<string, string>;
}

/** As the ingress gets them: without blanks at both ends, a character for each byte, and those of one name joined. */
function headersIn(given: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const text of given) {
    const [, name = "", value = ""] = /^([A-Za-z0-9_-]+):[ \t]*(.*?)[ \t\r\n]*$/s.exec(text) ?? [];
    if (name === "") throw misuse(`--header is "${text}", but must be NAME: VALUE`, explain.name);
    const key = name.toLowerCase();
    const before = headers.get(key);
    const sent = Buffer.from(value, "utf8").toString("latin1");
    headers.set(key, before === undefined ? sent : `${before}, ${sent}`);
  }
  return Object.fromEntries(headers);
}

async function explainStored(
  cluster: Cluster,
  id: NamespacedName,
  { payload, headers }: GivenDelivery,
): Promise<Explanation> {
  const automation = await existingAutomation(cluster, id);
  const explanation = explainDelivery(automation, payload, headers, await surroundingsOf(cluster, automation));
  const { decision, runName } = explanation;
  if (decision !== "Started" || runName === undefined) return explanation;
  const run = await cluster.client.find(Run, { namespace: id.namespace, name: runName });
  if (!run) return explanation;
  return { ...explanation, decision: "Duplicate", message: `Run ${runName} has this idempotency key already` };
}

/** The Integration that fires an Automation, and its target; of those without one, nothing is needed. */
async function surroundingsOf({ client }: Cluster, { metadata, spec }: Automation): Promise<GitHubSurroundings> {
  const name = triggeringIntegrationName(spec.trigger);
  if (name === undefined) return {};
  const { namespace = "" } = metadata;
  const target = spec.targets[0]?.repositoryRef?.name;
  const [integration, repository] = await Promise.all([
    client.find<Integration>(Integration, { namespace, name }),
    target === undefined ? undefined : client.find<Repository>(Repository, { namespace, name: target }),
  ]);
  return { integration, repository };
}

const Named = z.looseObject({
  kind: z.literal("Automation"),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
const List = z.object({ items: z.array(z.unknown()) });

/** The Automation in a file of YAML or JSON documents, also of lists, with defaults filled in as the API server does. */
async function automationIn(file: string, { namespace, name }: NamespacedName): Promise<Automation> {
  const found = kubectlDocuments((await readInput(file)).toString()).flatMap((document) => {
    if (document.errors[0]) throw new CliError(`${file}: ${document.errors[0].message}`);
    const value: unknown = document.toJS();
    const all = List.safeParse(value).data?.items ?? [value];
    return all.flatMap((one) => Named.safeParse(one).data ?? []).filter(({ metadata }) => metadata.name === name);
  });
  // One without a namespace is applied to any.
  const isIn = (one: string | undefined) => (object: z.infer<typeof Named>) => object.metadata.namespace === one;
  const automation = found.find(isIn(namespace)) ?? found.find(isIn(undefined));
  if (!automation) throw new CliError(`${file} has no Automation named ${name}${elsewhere(found, namespace)}`);
  const { data, error } = Automation.schema.safeParse(automation);
  if (!data) throw new CliError(`${file}: Automation ${name} would be refused:\n${z.prettifyError(error)}`);
  return { metadata: { name }, spec: data.spec };
}

function elsewhere(found: readonly z.infer<typeof Named>[], namespace: string): string {
  const [first] = found;
  return first ? ` in namespace ${namespace}; it has one in ${first.metadata.namespace ?? ""}` : "";
}
