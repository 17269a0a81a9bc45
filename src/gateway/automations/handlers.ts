import { shownAutomation, positionOfAutomation } from "./shown-automation.ts";
import type { AutomationView } from "./automation-view.ts";
import type { Callers } from "../http/callers.ts";
import { ApiError } from "../http/errors.ts";
import { findLive } from "../http/find-live.ts";
import type { Firings } from "./firings.ts";
import type { Keys } from "./keys.ts";
import type { LongLists } from "../http/long-lists.ts";
import { pageOf } from "../http/page.ts";
import type { Pauses } from "./pauses.ts";
import { knownInstant } from "../http/product-words.ts";
import type { HandlersOf } from "../http/router.ts";
import type { automationOperations } from "./operations.ts";
import { rightsTo } from "./rights.ts";
import { runsOf } from "./run-history.ts";
import { type InvocationHistory, invocationPage } from "./invocation-page.ts";
import { shownDeliveries } from "./shown-deliveries.ts";
import { shownRuns } from "./shown-invocation.ts";
import { Automation, DeliveryLog } from "../../api/v1alpha1/index.ts";
import { curlLine } from "../../domain/deliveries/curl-line.ts";
import { credentialVariables, webhookCommand } from "../../domain/deliveries/webhook-command.ts";
import type { Random } from "../../lib/random.ts";
import { webhookPath } from "../../domain/deliveries/webhook-path.ts";
import type { KubeClient } from "../../kube/client.ts";

interface HandlersDeps {
  client: Pick<KubeClient, "find">;
  callers: Pick<Callers, "may">;
  automations: AutomationView;
  lists: LongLists;
  pauses: Pauses;
  firings: Firings;
  keys: Pick<Keys, "issue" | "setSigningSecret">;
  /** Absent where the release keeps no archive. */
  history?: InvocationHistory | undefined;
  random: Pick<Random, "bytes">;
  /** Base URL of webhook paths. */
  deliveryBaseUrl: string;
}

/** Handlers of automations. */
export function automationHandlers(deps: HandlersDeps): HandlersOf<typeof automationOperations> {
  const { client, callers, lists, pauses, firings, keys, history, deliveryBaseUrl, random } = deps;
  const detail = (automation: Automation) => ({
    status: 200 as const,
    body: {
      automation: {
        ...shownAutomation(automation, deliveryBaseUrl),
        instructions: automation.spec.instructions,
        filters: automation.spec.trigger.webhook?.filters ?? null,
      },
    },
  });
  return {
    listAutomations({ query }) {
      const { entries, ...rest } = pageOf(search(deps.automations, query), positionOfAutomation, query);
      const automations = entries.map((automation) => shownAutomation(automation, deliveryBaseUrl));
      return Promise.resolve({ status: 200, body: { automations, ...rest } });
    },
    async getAutomation({ named: automation, signal }) {
      return detail(await findLive<Automation>(client, Automation, automation, signal));
    },
    async listInvocations({ named: automation, query, signal }) {
      const found = await findLive<Automation>(client, Automation, automation, signal);
      const runs = await runsOf(lists, found, signal);
      const { uid = "", creationTimestamp } = found.metadata;
      const named = { ...automation, uid, beginMs: knownInstant(creationTimestamp) };
      const { entries, ...rest } = await invocationPage(runs, named, { query, history });
      return { status: 200, body: { invocations: entries, ...rest } };
    },
    async listDeliveries({ named: automation, signal }) {
      await findLive<Automation>(client, Automation, automation, signal);
      return {
        status: 200,
        body: shownDeliveries(await client.find<DeliveryLog>(DeliveryLog, automation, { signal })),
      };
    },
    async exampleDelivery({ named: automation, signal }) {
      const { trigger } = (await findLive<Automation>(client, Automation, automation, signal)).spec;
      if (trigger.type !== "Webhook") throw new ApiError("NotAWebhook", "only webhook automations have an example");
      const { problem = null, ...command } = webhookCommand(trigger.webhook, random);
      const url = `${deliveryBaseUrl}${webhookPath(automation)}`;
      const variable = credentialVariables[trigger.webhook?.authentication?.type === "HMAC" ? "secret" : "key"];
      return { status: 200, body: { curl: curlLine({ ...command, url }), variable, problem } };
    },
    async automationRights({ caller, named: automation, signal }) {
      const { spec } = await findLive<Automation>(client, Automation, automation, signal);
      return { status: 200, body: await rightsTo(callers, { caller, automation, spec, signal }) };
    },
    pauseAutomation: async (call) => detail(await pauses.pause(call)),
    resumeAutomation: async (call) => detail(await pauses.resume(call)),
    async triggerAutomation({ requester, named: automation, body, signal }) {
      const found = await findLive<Automation>(client, Automation, automation, signal);
      const { name, started } = await firings.fire(found, { ...body, requester, signal });
      return { status: started ? 201 : 202, body: { invocationId: name, runs: started ? shownRuns(started) : [] } };
    },
    async regenerateKey({ requester, named: automation, body, signal }) {
      const { key: webhookApiKey, authentication } = await keys.issue(automation, { ...body, requester, signal });
      const webhookUrl = `${deliveryBaseUrl}${webhookPath(automation)}`;
      return { status: 200, body: { webhookApiKey, webhookUrl, authenticationType: authentication } };
    },
    async setSigningSecret({ requester, named: automation, body, signal }) {
      const type = await keys.setSigningSecret(automation, { ...body, requester, signal });
      return { status: 200, body: { webhookUrl: `${deliveryBaseUrl}${webhookPath(automation, type)}` } };
    },
  };
}

/** @throws ApiError while the cache is not filled */
function search(
  automations: AutomationView,
  { namespace, search: text = "" }: { namespace?: string | undefined; search?: string | undefined },
): readonly Automation[] {
  if (!automations.hasSynced) throw new ApiError("Unavailable", "automations are not known yet; try again");
  const wanted = text.trim().toLowerCase();
  const all = automations.list(namespace).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const has = (name = ""): boolean => name.toLowerCase().includes(wanted);
  return all.filter(({ metadata, spec }) => has(metadata.name) || has(spec.displayName));
}
