import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";

import {
  githubEventTypes,
  IntegrationEventSpec,
  IntegrationSpec,
  RunSpec,
} from "../../../../src/api/v1alpha1/index.ts";
import { deliveryPrompt } from "../../../../src/controllers/run/first-prompt/compose.ts";
import { wantedEvent } from "../../../../src/domain/deliveries/error-event.ts";
import { idempotencyKeyReader } from "../../../../src/domain/deliveries/idempotency-key.ts";
import { parsePayload } from "../../../../src/domain/deliveries/payload.ts";
import { Refusal } from "../../../../src/domain/deliveries/refusal.ts";
import { compileFilters } from "../../../../src/domain/filters/compile.ts";
import { linearProtocol } from "../../../../src/ingress/integrations/linear-protocol.ts";
import type { IntegrationProtocol } from "../../../../src/ingress/integrations/protocol.ts";
import { githubProtocol } from "../../../../src/ingress/integrations/github-protocol.ts";
import { slackProtocol } from "../../../../src/ingress/integrations/slack-protocol.ts";
import { outcomeOf } from "../../property.ts";
import { must, type Target } from "../target.ts";

const receivedAt = new Date("2026-05-04T10:15:00.000Z");
const isRefusal = (error: unknown): boolean => error instanceof Refusal;
const filters = compileFilters([
  { path: "$.status", operator: "eq", value: "firing" },
  { path: "$.commonLabels.severity", operator: "contains", value: "crit" },
  { path: "$.count", operator: "gte", value: 3 },
  { path: "$.__proto__", operator: "exists" },
]);
const keyOf = idempotencyKeyReader({ paths: ["$.groupKey", "$.status"] });
const defaultKeyOf = idempotencyKeyReader(undefined);

function mustFitRun(trigger: object): void {
  const { error } = RunSpec.safeParse({
    automationRef: { name: "a" },
    trigger: { time: receivedAt.toISOString(), deliveryID: "d", ...trigger },
  });
  must(error === undefined, `a Run takes what was read: ${error?.message}`);
}

const recorded = (name: string): string => readFileSync(join("test/fixtures/payloads", name), "utf8");

const webhook: Target = {
  name: "webhook-body",
  seeds: [
    '{"status":"firing","commonLabels":{"severity":"critical"},"count":7,"idempotencyKey":"k"}',
    '\ufeff{"groupKey":"a","status":"b"}',
    recorded("alertmanager-v4.json").slice(0, 2_000),
    recorded("grafana-alert.json"),
  ],
  take(input) {
    const outcome = outcomeOf(() => parsePayload(input), isRefusal);
    if (outcome === "refused") return;
    const { text, value } = outcome.value;
    must(isUtf8(input), "what is taken is UTF-8");
    filters.firstMismatch(value);
    filters.judgeAll(value);
    const prompt = deliveryPrompt("Do it.", { type: "Webhook", receivedAt, payload: text });
    must(prompt.length < 30_000, "a prompt is bounded");
    const read = { value, headers: {} };
    for (const idempotencyKey of [keyOf(read), defaultKeyOf(read)]) {
      mustFitRun({ type: "Webhook", payload: text, idempotencyKey });
    }
  },
};

const wanted = {
  events: ["IssueCreated", "IssueRegression", "IssueAlertTriggered", "MetricAlertCritical"] as const,
  projects: [],
  levels: [],
};
const details =
  '"exception":{"values":[{"stacktrace":{"frames":[{"filename":"a.ts","function":"f","lineno":3}]}}]},"tags":[["a","b"]]';
const errorTracker: Target = {
  name: "error-tracker-body",
  seeds: [
    `{"action":"created","data":{"issue":{"id":"1","title":"t","culprit":"c","level":"error","project":{"slug":"p"},"stats":{"24h":[[1,2]]}},"event":{${details}}}}`,
    '{"action":"unresolved","data":{"issue":{"id":1,"substatus":"regressed","lastSeen":"2026-05-04T10:15:00Z"}}}',
    `{"action":"triggered","data":{"event":{"event_id":"e","url":"https://x/projects/o/p/events/e/","metadata":{"type":"T"},${details}},"triggered_rule":"r"}}`,
    '{"action":"critical","data":{"metric_alert":{"alert_rule":{"id":1,"name":"n"},"date_started":"now"},"description_text":"d"}}',
  ],
  take(input) {
    const outcome = outcomeOf(() => parsePayload(input), isRefusal);
    if (outcome === "refused") return;
    const event = wantedEvent(outcome.value.value, { ...wanted, events: [...wanted.events] });
    if (typeof event === "string") return;
    const { triggerKey: idempotencyKey, shown } = event;
    mustFitRun({ type: "ErrorTracker", payload: JSON.stringify(shown), idempotencyKey });
  },
};

const integrationSpec = IntegrationSpec.parse({
  type: "GitHub",
  serviceAccountName: "runner",
  signingSecretRef: { name: "a" },
  credentialsSecretRef: { name: "a" },
  github: { appID: 1, slug: "helper", installationID: 2 },
});

/** What is kept of an event must be an event as the API server takes it. */
function integration(
  name: string,
  protocol: IntegrationProtocol,
  headers: IncomingHttpHeaders,
  seeds: readonly string[],
): Target {
  return {
    name,
    seeds,
    take(input) {
      const outcome = outcomeOf(
        () =>
          protocol.read(input, {
            headers,
            now: receivedAt,
            spec: integrationSpec,
            wantedEvents: new Set(githubEventTypes),
            wantedChannels: new Set(["C0OPS"]),
          }),
        isRefusal,
      );
      if (outcome === "refused" || typeof outcome.value.event === "string") return;
      const { kept, deliveryId } = outcome.value.event;
      for (const one of kept) {
        const { error } = IntegrationEventSpec.safeParse({
          integrationRef: { name: "a", uid: "u" },
          deliveryID: deliveryId(),
          receivedTime: receivedAt.toISOString(),
          ...one,
        });
        must(error === undefined, `an IntegrationEvent takes what was read: ${error?.message}`);
      }
    },
  };
}

const slackEnvelope = (event: string): string =>
  `{"type":"event_callback","team_id":"T1","event_id":"Ev1","authorizations":[{"user_id":"U2","is_bot":true}],"event":${event}}`;
const slackSeeds = [
  '{"type":"url_verification","challenge":"c"}',
  slackEnvelope(
    '{"type":"app_mention","channel":"C1","user":"U1","team":"T1","text":"<@U2> fix it","ts":"1.2","thread_ts":"1.1"}',
  ),
  slackEnvelope(
    '{"type":"message","channel_type":"im","channel":"D1","user":"U1","text":"a","ts":"1.2","attachments":[{"is_share":true,"text":"t","author_name":"n","channel_name":"c","from_url":"https://a"}]}',
  ),
  slackEnvelope('{"type":"app_home_opened","user":"U1","channel":"D1","tab":"home","view":{"hash":"1.a"}}'),
  slackEnvelope('{"type":"tokens_revoked"}'),
];
const interaction = `{"type":"block_actions","team":{"id":"T1"},"user":{"id":"U1","team_id":"T1"},"channel":{"id":"C1"},"message":{"ts":"1.2","thread_ts":"1.1"},"actions":[{"action_id":"repository","action_ts":"1.3","selected_option":{"value":"a"}}]}`;

const githubComment = (rest: string): string =>
  `{"action":"created","installation":{"id":2},"repository":{"id":22,"full_name":"acme/api"},"comment":{"id":5,"body":"> q\\n\\n@helper fix it","user":{"id":11,"login":"ann","type":"User"}},${rest}}`;
const githubSeeds = [
  githubComment('"issue":{"number":7,"pull_request":{}}'),
  githubComment('"issue":{"number":7}'),
  githubComment('"pull_request":{"number":7}'),
];

const person = '{"id":"p","name":"Ann","email":"ann@example.com"}';
const linearSeeds = [
  `{"type":"AgentSessionEvent","action":"created","organizationId":"o","webhookTimestamp":${receivedAt.getTime()},"agentSession":{"id":"s","creator":${person},"comment":{"body":"b"},"issue":{"id":"i","identifier":"ENG-1","team":{"key":"ENG"}}}}`,
  `{"type":"AgentSessionEvent","action":"prompted","organizationId":"o","webhookTimestamp":${receivedAt.getTime()},"agentSession":{"id":"s"},"agentActivity":{"signal":"stop","content":{"body":"b"},"user":${person}}}`,
  `{"type":"RunwrightTest","organizationId":"o","webhookTimestamp":${receivedAt.getTime()}}`,
];

export const bodyTargets: readonly Target[] = [
  webhook,
  errorTracker,
  integration(
    "github-body",
    githubProtocol,
    { "x-github-event": "issue_comment", "x-github-delivery": "d" },
    githubSeeds,
  ),
  integration("slack-event-body", slackProtocol, { "content-type": "application/json" }, slackSeeds),
  integration("slack-form-body", slackProtocol, { "content-type": "application/x-www-form-urlencoded" }, [
    `payload=${encodeURIComponent(interaction)}`,
    "payload=%7B%7D&payload=",
  ]),
  integration("linear-body", linearProtocol, { "linear-delivery": "d" }, linearSeeds),
];
