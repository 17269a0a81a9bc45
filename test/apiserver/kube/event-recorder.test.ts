import { afterAll, beforeAll, expect, it } from "vitest";
import { configMaps } from "../../../src/kube/core-resources.ts";
import { coreEvents } from "../../support/core-resources.ts";
import { EventRecorder } from "../../../src/kube/event-recorder.ts";
import { referenceTo } from "../../../src/kube/object-reference.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf, newNamespace } from "../../support/kube.ts";

let direct: ReturnType<typeof clientOf>;

beforeAll(() => {
  direct = clientOf({ file: testCluster().kubeconfig });
});

afterAll(() => direct.close());

it("writes events that the API server takes and kubectl finds with the object, repeats counted", async () => {
  const namespace = await newNamespace(direct.client, "events");
  const object = await direct.client.create(configMaps, { metadata: { namespace, name: "subject" } });
  const dropped: string[] = [];
  const recorder = new EventRecorder(
    {
      client: direct.client,
      clock: systemClock,
      random: systemRandom,
      metrics: { eventDropped: (reason) => void dropped.push(reason) },
    },
    { reportingController: "runwright.dev/controller", reportingInstance: "controller-0" },
  );
  const event = {
    regarding: referenceTo(configMaps, object),
    type: "Warning",
    reason: "Broken",
    note: "é".repeat(600),
  } as const;
  recorder.record(event);
  await recorder.flush(5_000);
  recorder.record(event);
  recorder.record(event);
  await recorder.flush(5_000);
  // What `kubectl describe` asks for.
  const fieldSelector = `involvedObject.name=subject,involvedObject.uid=${object.metadata.uid ?? ""}`;
  const { items } = await direct.client.list(coreEvents, { namespace, fieldSelector });
  expect(dropped).toEqual([]);
  expect(items.map(({ type, reason, message, series }) => ({ type, reason, message, count: series?.count }))).toEqual([
    { type: "Warning", reason: "Broken", message: "é".repeat(512), count: 3 },
  ]);
});
