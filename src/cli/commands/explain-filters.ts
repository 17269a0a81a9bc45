import { z } from "zod";

import { Webhook, type Automation } from "../../api/v1alpha1/index.ts";
import { authenticationOf, describeAuthentication } from "../../domain/deliveries/authentication.ts";
import {
  describeKeySource,
  type IdempotencyKeyReader,
  idempotencyKeyReader,
  type KeyedRequest,
} from "../../domain/deliveries/idempotency-key.ts";
import { longestPayloadBytes } from "../../domain/deliveries/payload.ts";
import { keyedRunName } from "../../domain/object-names.ts";
import { notStarted, pausedBecause } from "../../domain/deliveries/not-started.ts";
import { compileFilters, type CompiledFilters } from "../../domain/filters/compile.ts";
import { explainFinding } from "../../domain/filters/describe.ts";
import { CliError } from "../cli-error.ts";
import { explainEvent } from "./explain-event.ts";
import { explainGitHub, type GitHubSurroundings } from "./explain-github.ts";
import { explainSlack } from "./explain-slack.ts";
import { type Explanation, readPayload } from "./explanation.ts";

/** What the ingress decides deliveries to a webhook Automation by. */
interface WebhookJudge {
  pausedBecause: string | undefined;
  filters: CompiledFilters;
  idempotencyKey: IdempotencyKeyReader;
  settings: Webhook;
}

/** @throws CliError where the settings of a webhook Automation cannot be read */
export function webhookJudge(automation: Automation): WebhookJudge {
  const name = automation.metadata.name ?? "";
  const { data, error } = Webhook.safeParse(automation.spec.trigger.webhook ?? {});
  if (!data) throw new CliError(`Automation ${name}: spec.trigger.webhook cannot be read:\n${z.prettifyError(error)}`);
  return {
    pausedBecause: pausedBecause(automation),
    filters: compileFilters(data.filters),
    idempotencyKey: idempotencyKeyReader(data.idempotencyKeyFrom),
    settings: data,
  };
}

/** Decides on a body as the ingress does, and explains every filter; names of headers are in lower case. @throws CliError */
export function explainDelivery(
  automation: Automation,
  body: Uint8Array,
  headers: KeyedRequest["headers"] = {},
  surroundings: GitHubSurroundings = {},
): Explanation {
  const { type } = automation.spec.trigger;
  if (type === "Webhook") return explainWebhook(automation, body, headers);
  if (type === "ErrorTracker") return explainEvent(automation, body);
  if (type === "GitHub") {
    const event = headers["x-github-event"];
    return explainGitHub(automation, { body, type: typeof event === "string" ? event : undefined }, surroundings);
  }
  if (type === "Slack") return explainSlack(automation, body, surroundings);
  throw new CliError(
    `Automation ${automation.metadata.name ?? ""} has trigger type ${type}, which takes no deliveries`,
  );
}

function explainWebhook(automation: Automation, body: Uint8Array, headers: KeyedRequest["headers"]): Explanation {
  const judge = webhookJudge(automation);
  const payload = readPayload(body, longestPayloadBytes);
  if (!("value" in payload)) return { ...payload, filters: [] };
  const { authentication } = judge.settings;
  const stopped = notStarted(judge, payload.value);
  return {
    decision: stopped ? (stopped.verdict === "paused" ? "Paused" : "Filtered") : "Started",
    message: stopped?.message ?? "All filters match; a Run would start",
    filters: judge.filters
      .judgeAll(payload.value)
      .map((finding) => ({ ...finding.filter, matches: finding.matches, message: explainFinding(finding) })),
    authentication: describeAuthentication(authenticationOf(authentication)),
    ...explainedKey(automation, judge, { value: payload.value, headers }),
  };
}

type ExplainedKey = Pick<Explanation, "idempotencyKey" | "idempotencyKeyFrom" | "runName">;

function explainedKey({ metadata }: Automation, judge: WebhookJudge, request: KeyedRequest): ExplainedKey {
  const { idempotencyKeyFrom: from } = judge.settings;
  const explained = from ? { idempotencyKeyFrom: describeKeySource(from) } : {};
  const idempotencyKey = judge.idempotencyKey(request);
  if (idempotencyKey === undefined) return explained;
  const { name = "", uid } = metadata;
  if (uid === undefined) return { ...explained, idempotencyKey };
  return { ...explained, idempotencyKey, runName: keyedRunName({ name, uid }, idempotencyKey) };
}
