import { Automation, Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { allNamespacesFlag } from "../arguments/common-flags.ts";
import { namespaceOf } from "../arguments/name-argument.ts";
import { defineCommand } from "../command.ts";
import { integrationHead, integrationRow } from "../output/integration-row.ts";
import { listedAs } from "../output/listed.ts";
import { textTable } from "../output/table.ts";

export const integrations = defineCommand({
  name: "integrations",
  summary: "list Integrations: whether they are connected, the last event, action, skip and failure, what to do",
  details:
    "CONNECTED is Yes, No, Suspended, or Unknown before the first call of the provider. The last action is the latest event for which a session was started, prompted or stopped. The last skip is the check that stopped feedback on a pull request of a session; pull requests of no session are counted once each. The last failure is that of the Integration, or else of an Automation whose events cannot come, or of the latest event that failed.",
  parameters: [],
  flags: allNamespacesFlag,
  formats: ["json", "yaml", "name"],
  examples: ["integrations -n demo", "integrations -A"],
  async run(invocation) {
    const { flags, cluster, clock, io } = invocation;
    const namespace = flags["all-namespaces"] ? undefined : namespaceOf(invocation);
    const { client } = cluster();
    const [{ items: found }, { items: events }, { items: automations }] = await Promise.all([
      client.list<Integration>(Integration, { namespace }),
      client.list<IntegrationEvent>(IntegrationEvent, { namespace }),
      client.list<Automation>(Automation, { namespace }),
    ]);
    if (found.length === 0)
      io.note(`No Integrations found${namespace === undefined ? "" : ` in namespace ${namespace}`}`);
    const rows = found.map((integration) => integrationRow(integration, { events, automations }, clock.now()));
    return { text: found.length === 0 ? "" : textTable([...integrationHead], rows), ...listedAs(Integration, found) };
  },
});
