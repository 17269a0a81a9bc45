import { type Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { failureReasonOf } from "../failure-reason.ts";
import { ProviderError } from "../provider-error.ts";
import { settledStatus, type Verdict } from "./lifecycle.ts";
import type { Provider, Providers } from "./provider.ts";

export interface SampleDeps {
  client: Pick<KubeClient, "patchStatus">;
  providers: Providers;
  clock: Pick<Clock, "now">;
}

/** Settles an event that asks whether the provider answers, and for the workspace that is set. */
export async function settleSample(
  { client, providers, clock }: SampleDeps,
  integration: Integration,
  event: IntegrationEvent,
  signal: AbortSignal,
): Promise<void> {
  const verdict = await judge(providers[integration.spec.type], integration);
  await client.patchStatus(IntegrationEvent, event, settledStatus(event, verdict, clock.now()), { signal });
}

async function judge(provider: Provider, integration: Integration): Promise<Verdict> {
  const { type } = integration.spec;
  const expected = expectedWorkspace(integration);
  try {
    const { id, name } = await provider.workspace(integration);
    if (id === expected.id) {
      const message = `${type} answers for ${name}`;
      return { counted: "steered", succeeded: true, reason: "Connected", message };
    }
    const message = `the credentials are of ${id}, and not of ${expected.field}`;
    return { counted: "skipped", succeeded: false, reason: "CredentialsRefused", message };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { counted: "skipped", succeeded: false, reason: failureReasonOf(error), message: error.message };
  }
}

function expectedWorkspace({ spec: { github, linear, slack } }: Integration): { field: string; id: string } {
  if (github) return { field: "spec.github.slug", id: github.slug };
  if (slack) return { field: "spec.slack.teamID", id: slack.teamID };
  return { field: "spec.linear.organizationID", id: linear?.organizationID ?? "" };
}
