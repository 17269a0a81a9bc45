import { afterEach, beforeEach, expect, it } from "vitest";

import { anAutomation } from "../../../test/support/builders.ts";
import type { Automation } from "../../api/v1alpha1/index.ts";
import { FakeCollection } from "../../kube/fake-collection.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ClusterAutomationReader, type AutomationReaderDeps } from "./automation-reader.ts";

const chat = { namespace: "demo", name: "chat" };
let automations: FakeCollection<Automation>;
let reader: ClusterAutomationReader;

beforeEach(() => {
  automations = new FakeCollection();
  reader = new ClusterAutomationReader({
    client: automations as unknown as AutomationReaderDeps["client"],
    clock: new FakeClock(),
    random: { fraction: () => 0 },
    keysNamespace: "keys",
  });
  reader.start();
});
afterEach(() => reader.stop());

function put(name: string, trigger: object, metadata: Automation["metadata"] = {}): void {
  const spec = { trigger: trigger as Automation["spec"]["trigger"] };
  automations.put(anAutomation({ metadata: { namespace: "demo", name, ...metadata }, spec }));
}

const slack = (channels: string[], integration = "chat"): object => ({
  type: "Slack",
  slack: { integrationRef: { name: integration }, channels },
});
const github = (...events: string[]): object => ({
  type: "GitHub",
  github: { integrationRef: { name: "chat" }, events },
});

async function channels(integration = chat): Promise<string[]> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
  return [...reader.wantedChannels(integration)].sort();
}

it("knows the channels that any Automation wants of an Integration", async () => {
  put("a", slack(["C1", "C2"]));
  put("b", slack(["C2", "C3"]));
  put("c", slack(["C4"], "other"));
  put("d", slack(["C5"]), { namespace: "elsewhere" });
  put("e", { type: "Webhook" });
  expect(await channels()).toEqual(["C1", "C2", "C3"]);
  expect(await channels({ namespace: "demo", name: "nobody" })).toEqual([]);
});

it("keeps what another Automation wants, too, when one changes, goes or is being deleted", async () => {
  put("a", slack(["C1", "C2"]));
  put("b", slack(["C2", "C3"]));
  put("a", slack(["C1", "C4"]));
  expect(await channels()).toEqual(["C1", "C2", "C3", "C4"]);
  automations.remove({ namespace: "demo", name: "b" });
  expect(await channels()).toEqual(["C1", "C4"]);
  put("a", slack(["C1"]), { deletionTimestamp: "2026-05-04T10:00:00Z" });
  expect(await channels()).toEqual([]);
});

it("knows what moves from one Integration to another, and from channels to events", async () => {
  put("a", slack(["C1"]));
  put("a", slack(["C1"], "other"));
  expect(await channels()).toEqual([]);
  expect(await channels({ namespace: "demo", name: "other" })).toEqual(["C1"]);
  put("a", github("IssueOpened", "PullRequestOpened"));
  expect(await channels({ namespace: "demo", name: "other" })).toEqual([]);
  expect([...reader.wantedEvents(chat)].sort()).toEqual(["IssueOpened", "PullRequestOpened"]);
});

it("counts nothing anew for a request", async () => {
  put("a", slack(["C1"]));
  put("b", github("IssueOpened"));
  await channels();
  expect(reader.wantedChannels(chat)).toBe(reader.wantedChannels({ ...chat }));
  expect(reader.wantedEvents(chat)).toBe(reader.wantedEvents({ ...chat }));
});
