import type { JSX } from "preact";
import { useRoute } from "preact-iso";
import { api, type Automation, type AutomationRights, bodyOf } from "../api.ts";
import { Badge, spaced } from "../parts/badge.tsx";
import { useLoaded } from "../parts/load.ts";
import { Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { MaybeWhen, When } from "../parts/time.tsx";
import { AutomationActions } from "./automation-actions.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { FilterTester } from "./filter-tester.tsx";
import { InvocationList } from "./invocation-list.tsx";
import { WebhookCard } from "./webhook-card.tsx";

interface Found {
  automation: Automation;
  rights: AutomationRights;
}

async function find(id: string, signal: AbortSignal): Promise<Found> {
  const asked = { params: { path: { id } }, signal };
  const [{ automation }, rights] = await Promise.all([
    bodyOf(api.GET("/automations/{id}", asked)),
    bodyOf(api.GET("/automations/{id}/rights", asked)),
  ]);
  return { automation, rights };
}

/** One automation: its state, its webhook, its history, and a try of its filters. */
export function AutomationPage(): JSX.Element {
  const id = useRoute().params.id ?? "";
  const { loaded, reload } = useLoaded(`automation ${id}`, (signal) => find(id, signal));
  return (
    <>
      <p class="path">
        <a href="/automations">Automations</a>
      </p>
      <Show loaded={loaded} what="the automation" heading="Automation" reload={reload}>
        {(found) => <Detail key={id} {...found} reload={reload} />}
      </Show>
    </>
  );
}

function Detail({ automation, rights, reload }: Found & { reload: () => void }): JSX.Element {
  const { id, filters } = automation;
  const takesDeliveries = automation.webhookUrl !== null;
  return (
    <>
      <div class="bar">
        <h1>
          <Untrusted text={automation.name} />
        </h1>
        <Badge word={automation.status} />
        <AutomationActions automation={automation} rights={rights} onDone={reload} />
      </div>
      {automation.problem !== null && (
        <p class="stale">
          <Untrusted text={automation.problem} />
        </p>
      )}
      <Facts automation={automation} />
      {takesDeliveries && <WebhookCard automation={automation} canRegenerate={rights.regenerateKey} />}
      <section>
        <h2>Runs</h2>
        {rights.listInvocations ? (
          <InvocationList id={id} namespace={automation.namespace} />
        ) : (
          <NotForYou what="its runs" />
        )}
      </section>
      {takesDeliveries && (
        <section>
          <h2>Deliveries</h2>
          {rights.listDeliveries ? (
            <DeliveryList id={id} filters={filters ?? undefined} />
          ) : (
            <NotForYou what="its deliveries" />
          )}
        </section>
      )}
      {filters && (
        <section>
          <h2>Try a payload</h2>
          <FilterTester filters={filters} isPaused={!automation.enabled} />
        </section>
      )}
      <section>
        <h2>Instructions</h2>
        <pre class="text">
          <Untrusted text={automation.instructions} />
        </pre>
      </section>
    </>
  );
}

function NotForYou({ what }: { what: string }): JSX.Element {
  return <p class="state">You may not see {what}.</p>;
}

function Facts({ automation }: { automation: Automation }): JSX.Element {
  const { id, namespace, triggerType, scheduleCron, scheduleTz, pauseReason, consecutiveFailures } = automation;
  const targets = [...automation.repositories, ...automation.environments.map((name) => `environment ${name}`)];
  return (
    <dl class="facts">
      <dt>Trigger</dt>
      <dd>
        {spaced(triggerType)} {scheduleCron !== null && <code>{scheduleCron}</code>} {scheduleTz}
      </dd>
      {scheduleCron !== null && (
        <>
          <dt>Next due</dt>
          <dd>
            <MaybeWhen at={automation.nextRunAt} />
          </dd>
        </>
      )}
      <dt>Works on</dt>
      <dd>{targets.length === 0 ? "an empty workspace" : targets.join(", ")}</dd>
      <dt>Acts as</dt>
      <dd>
        ServiceAccount {automation.serviceAccountName} in {namespace}
      </dd>
      {pauseReason !== null && (
        <>
          <dt>Paused</dt>
          <dd>{spaced(pauseReason)}</dd>
        </>
      )}
      <dt>Failures in a row</dt>
      <dd>{consecutiveFailures}; 3 pause it</dd>
      <dt>Created</dt>
      <dd>
        <When at={automation.createdAt} />
      </dd>
      <dt>YAML</dt>
      <dd>
        <code>
          kubectl get automation {id.slice(namespace.length + 1)} -n {namespace} -o yaml
        </code>
      </dd>
    </dl>
  );
}
