import { Registry } from "prom-client";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { startTracing, type Tracing } from "../../../src/telemetry/tracing.ts";
import { defineTraceMetrics } from "../../../src/telemetry/bounded-spans.ts";
import { testCluster } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";
import { startOtlpReceiver } from "../../support/otlp-receiver.ts";
import { type Intake, issueKey, startIntake } from "./intake.ts";
import { World } from "./world.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const senderSpanId = "b7ad6b7169203331";

let world: World;
let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
let closing: (() => Promise<void>)[];
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  receiver = await startOtlpReceiver();
  closing = [() => world.close(), () => receiver.close()];
});
afterEach(async () => {
  for (const close of closing) await close();
});

function tracingOf(process: string): Tracing {
  const config = { url: receiver.url, sampler: "parentbased_always_on", ratio: 1 } as const;
  const tracing = startTracing(config, {
    process,
    instance: process,
    clock: systemClock,
    metrics: defineTraceMetrics(new Registry()),
  });
  closing.unshift(() => tracing.close());
  return tracing;
}

async function post(intake: Intake, id: string, key: string, traceparent: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", traceparent };
  const body = JSON.stringify({ idempotencyKey: "event-1", secret: "planted" });
  const answer = await fetch(`${intake.url}/webhooks/automation/${id}`, { method: "POST", headers, body });
  return answer.json();
}

it("a delivery is one trace from its sender to the result, the same one when a second leader tells it again", async () => {
  const automation = await world.createAutomation("triage");
  const key = await issueKey(world, automation);
  const intake = await startIntake(world, tracingOf("ingress"));
  closing.unshift(() => intake.close());
  const first = await world.startOperator({ tracing: tracingOf("first") });

  const id = intake.idOf(automation);
  expect(await post(intake, id, key, `00-${traceId}-${senderSpanId}-01`)).toMatchObject({ triggered: 1 });
  const again = `00-${"1".repeat(32)}-${senderSpanId}-00`;
  expect(await post(intake, id, key, again)).toMatchObject({ triggered: 0, skipped: 1 });
  const [run] = await world.runs();
  const name = run?.metadata.name ?? "";
  expect(run?.metadata.annotations?.["runwright.dev/traceparent"]).toMatch(
    new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`),
  );

  await world.untilPrompt(name);
  await world.settlePrompt(`${name}-0-1`, true, "Completed", { summary: "planted" });
  await world.untilRun(name, "Completed");
  const countOf = (span: string): number => receiver.spans.filter((one) => one.name === span).length;
  // Time of the world stands still meanwhile: a new leader tells of what ended short ago.
  const isToldBy = (leaders: number) => () => countOf("run") === leaders && countOf("session") === leaders;
  await until("the first leader's spans have come", isToldBy(1));
  await first.stop();
  await world.startOperator({ tracing: tracingOf("second") });
  await until("the second leader's spans have come", isToldBy(2));
  await until("the delivery's span has come", () => countOf("POST /webhooks/automation") === 1);

  const byId = new Map(receiver.spans.map((span) => [span.spanId, span]));
  const shown = [...byId.values()].map(({ name: of, parentSpanId = "" }) => [
    of,
    byId.get(parentSpanId)?.name ?? parentSpanId,
  ]);
  expect(Object.fromEntries(shown)).toEqual({
    "POST /webhooks/automation": senderSpanId,
    run: "POST /webhooks/automation",
    decide: "run",
    session: "run",
  });
  expect(byId.size).toBe(4);
  expect(new Set(receiver.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(JSON.stringify(receiver.spans)).not.toContain("planted");
});
