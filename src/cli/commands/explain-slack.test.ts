import { describe, expect, it } from "vitest";

import { anAutomation } from "../../../test/support/builders.ts";
import type { Automation, AutomationSpec, Integration } from "../../api/v1alpha1/index.ts";
import { explainDelivery } from "./explain-filters.ts";

function automation(slack: object = {}, spec: Partial<AutomationSpec> = {}): Automation {
  return anAutomation({
    metadata: { name: "ops", namespace: "demo", uid: "u1" },
    spec: {
      targets: [],
      trigger: {
        type: "Slack",
        slack: { integrationRef: { name: "chat" }, channels: ["C0OPS"], ...slack },
      } as Automation["spec"]["trigger"],
      ...spec,
    },
  });
}

const message = {
  type: "message",
  channel: "C0OPS",
  channel_type: "channel",
  user: "U0ANN",
  text: "deploy failed",
  ts: "1767225600.000100",
};

function explain(of: Automation, change: object = {}, { team = "T0ACME", integration = "T0ACME" } = {}) {
  const authorizations = [{ user_id: "U0BOT", is_bot: true }];
  const body = { type: "event_callback", team_id: team, authorizations, event: { ...message, ...change } };
  const chat = { metadata: { name: "chat" }, spec: { slack: { teamID: integration } } } as unknown as Integration;
  return explainDelivery(of, Buffer.from(JSON.stringify(body)), {}, { integration: chat });
}

describe("a message of a channel", () => {
  it("would start a Run, if its author is on a list", () => {
    const explained = explain(automation());
    expect(explained).toEqual({
      decision: "Started",
      message: "The message matches; a Run would start, if U0ANN is in the Integration's access",
      idempotencyKey: "channel C0OPS message 1767225600.000100",
      runName: expect.stringMatching(/^ops-[a-z2-7]{26}$/) as string,
    });
    expect(explain(automation({ from: "Members" })).message).toBe("The message matches; a Run would start");
  });

  it("that is a reply would go to the session of the thread's Run", () => {
    const says = "in the thread of a Run it would go to the Run's session instead";
    expect(explain(automation(), { thread_ts: "1.0" })).toMatchObject({ decision: "Started" });
    expect(explain(automation(), { thread_ts: "1.0" }).message).toContain(says);
    expect(explain(automation({ users: ["U0BOB"] }), { thread_ts: "1.0" }).message).toContain(says);
  });

  it.each<[string, Automation, object, string]>([
    ["that a condition excludes", automation({ users: ["U0BOB"] }), {}, "must be of one of U0BOB"],
    [
      "that a regular expression does not match",
      automation({ texts: [{ operator: "RegularExpression", value: "^passed" }] }),
      {},
      'does not match the regular expression "^passed"',
    ],
    ["of another channel", automation(), { channel: "C0DEV" }, "no Automation wants messages of this channel"],
    ["of a bot", automation(), { bot_id: "B1" }, "messages of bots"],
    ["that mentions the app", automation(), { text: "<@U0BOT> hi" }, "mention the app"],
  ])("%s is filtered", (_name, of, change, says) => {
    const { decision, message: said } = explain(of, change);
    expect([decision, said]).toEqual(["Filtered", expect.stringContaining(says)]);
  });

  it("of another workspace is filtered", () => {
    const { decision, message: said } = explain(automation(), {}, { team: "T0OTHER" });
    expect([decision, said]).toEqual([
      "Filtered",
      "The event is of workspace T0OTHER, and Integration chat is for T0ACME",
    ]);
  });

  it("starts nothing while the automation is paused", () => {
    expect(explain(automation({}, { suspend: true })).decision).toBe("Paused");
  });

  it.each([
    ["no JSON", Buffer.from("nope"), "InvalidPayload"],
    ["no event", Buffer.from("{}"), "InvalidPayload"],
    ["more than 1 MiB", Buffer.alloc(1_048_577, 32), "PayloadTooLarge"],
  ])("that is %s is refused", (_name, body, decision) => {
    expect(explainDelivery(automation(), body).decision).toBe(decision);
  });

  it("cannot be held against a trigger that cannot be read", () => {
    expect(() => explain(automation({ channels: [] }))).toThrow("Automation ops: spec.trigger.slack cannot be read");
  });
});
