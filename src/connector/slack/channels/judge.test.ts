import { describe, expect, it } from "vitest";

import type { Automation, Integration, SlackEvent } from "../../../api/v1alpha1/index.ts";
import { judgeMessage } from "./judge.ts";

const event: SlackEvent = {
  action: "Said",
  channelID: "C0OPS",
  threadTS: "1.0",
  ts: "1.0",
  actor: { id: "U0ANN", teamID: "T0ACME" },
  text: "deploy failed",
};

function automationOf(slack: object, spec: object = {}): Automation {
  const trigger = { type: "Slack", slack: { integrationRef: { name: "chat" }, channels: ["C0OPS"], ...slack } };
  return { metadata: { name: "a" }, spec: { trigger, ...spec } } as unknown as Automation;
}

function judged(
  { slack = {}, spec = {}, access = {} }: { slack?: object; spec?: object; access?: object },
  { change = {}, isReplyToRun = false }: { change?: object; isReplyToRun?: boolean } = {},
): object {
  const lists = { users: [], userGroups: [], channels: [], ...access };
  const integration = { access: lists, slack: { teamID: "T0ACME" } } as unknown as Integration["spec"];
  return judgeMessage({ ...event, ...change }, { automation: automationOf(slack, spec), integration }, isReplyToRun);
}

const listed = { access: { users: ["U0ANN"] } };
const may = { maxUnfinishedRuns: 100, needsMembership: false };
const denied = { problem: expect.stringContaining("on none of the Integration's access lists") as string };
const other = { actor: { id: "U0ANN", teamID: "T0OTHER" } };

describe("whose messages count", () => {
  it.each([
    ["of a person who is listed", listed, {}, may],
    ["of a channel that is listed", { access: { channels: ["C0OPS"] } }, {}, may],
    ["of a person who is not listed", {}, {}, denied],
    ["of a person who is not listed, where all members count", { slack: { from: "Members" } }, {}, may],
    ["of a person who may be in a group", { access: { userGroups: ["S1"] } }, {}, { ...may, needsMembership: true }],
    ["of a listed person of another workspace", listed, { change: other }, denied],
    ["of another workspace, where all members count", { slack: { from: "Members" } }, { change: other }, denied],
    ["in reply to a Run, of a person who is not listed", {}, { isReplyToRun: true }, denied],
  ])("%s", (_name, settings, message, want) => {
    expect(judged(settings, message)).toEqual(want);
  });
});

describe("conditions", () => {
  const wanting = { ...listed, slack: { texts: [{ operator: "Contains", value: "passed" }] } };

  it("count for what would start a Run, and not for a reply to one", () => {
    expect(judged(wanting)).toEqual({ problem: 'the text does not contain "passed"' });
    expect(judged(wanting, { isReplyToRun: true })).toEqual(may);
  });

  it.each([false, true])("a paused Automation wants nothing; a reply to a Run: %s", (isReplyToRun) => {
    const paused = { ...listed, spec: { suspend: true } };
    expect(judged(paused, { isReplyToRun })).toEqual({ problem: expect.stringContaining("paused by hand") as string });
  });

  it("that cannot be read are said so", () => {
    expect(judged({ ...listed, slack: { channels: [] } })).toEqual({ problem: "its stored trigger cannot be read" });
  });
});
