import { describe, expect, it } from "vitest";

import { IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { readChannelMessage } from "./slack-message.ts";

const wanted = new Set(["C0OPS", "G0OPS"]);

function sent(change: object = {}, authorizations: object[] = [{ user_id: "U0BOT", is_bot: true }]): object {
  const event = {
    type: "message",
    channel: "C0OPS",
    channel_type: "channel",
    user: "U0ANN",
    team: "T0ACME",
    text: "deploy failed",
    ts: "1767225600.000100",
    ...change,
  };
  return { authorizations, event };
}

describe("a message of a channel", () => {
  it("is kept with who wrote it, where, when and what, as it was written", () => {
    expect(readChannelMessage(sent({ text: " a &lt;b&gt; &amp;amp; c\n\n  d " }), wanted)).toEqual({
      action: "Said",
      channelID: "C0OPS",
      threadTS: "1767225600.000100",
      ts: "1767225600.000100",
      actor: { id: "U0ANN", teamID: "T0ACME" },
      text: "a <b> &amp; c\n\n  d",
    });
  });

  it.each([
    ["a reply", { thread_ts: "1767225500.000001" }, { threadTS: "1767225500.000001", ts: "1767225600.000100" }],
    ["a reply that the channel sees, too", { thread_ts: "1.1", subtype: "thread_broadcast" }, { threadTS: "1.1" }],
    ["one with a file", { subtype: "file_share" }, { text: "deploy failed" }],
    ["one of a private channel", { channel: "G0OPS", channel_type: "group" }, { channelID: "G0OPS" }],
    ["one that mentions another", { text: "<@U0BOB> deploy failed" }, { text: "<@U0BOB> deploy failed" }],
    ["a guest's", { user_team: "T0OTHER" }, { actor: { id: "U0ANN", teamID: "T0OTHER" } }],
    ["one of 8,192 characters", { text: "😀".repeat(8_192) }, { text: "😀".repeat(8_192) }],
  ])("that is %s is kept", (_name, change, want) => {
    const kept = readChannelMessage(sent(change), wanted);
    expect(kept).toMatchObject(want);
    const spec = { integrationRef: { name: "chat", uid: "u" }, deliveryID: "d", receivedTime: "2026-01-01T00:00:00Z" };
    expect(IntegrationEvent.schema.safeParse({ metadata: {}, spec: { ...spec, slack: kept } }).error).toBeUndefined();
  });

  it.each([
    ["that mentions the app", { text: "<@U0BOT> fix it" }, "mention the app"],
    ["that mentions the app by name", { text: "hey <@U0BOT|helper> fix it" }, "mention the app"],
    ["of a bot", { bot_id: "B7" }, "of bots"],
    ["of the app itself", { user: "U0BOT" }, "of bots"],
    ["of nobody", { user: undefined }, "of bots"],
    ["that was edited", { edited: {} }, "changes of messages"],
    ["that was edited, as Slack tells it", { subtype: "message_changed" }, "changes of messages"],
    ["that was deleted", { subtype: "message_deleted" }, "changes of messages"],
    ["that says who came", { subtype: "channel_join" }, "changes of messages"],
    ["that says who left", { subtype: "channel_leave" }, "changes of messages"],
    ["of a bot of the old kind", { subtype: "bot_message" }, "changes of messages"],
    ["of another channel", { channel: "C0RANDOM" }, "no Automation wants messages of this channel"],
    ["of a group conversation", { channel: "G0OPS", channel_type: "mpim" }, "outside of channels"],
    ["of a place that is not named", { channel_type: undefined }, "outside of channels"],
    ["without text", { text: " \n" }, "without text"],
    ["of 8,193 characters", { text: "😀".repeat(8_193) }, "more than 8,192 characters"],
  ])("%s is not handled", (_name, change, says) => {
    expect(readChannelMessage(sent(change), wanted)).toContain(says);
  });

  it.each([[[]], [[{ user_id: "U0ANN", is_bot: false }]]])(
    "is not handled where the app's bot is not named: %j",
    (who) => {
      expect(readChannelMessage(sent({}, who), wanted)).toContain("whether it is mentioned is not known");
    },
  );

  // A search that goes on to the end from each bracket takes hours for so many.
  it("of many mentions that do not end is read in one pass", () => {
    const text = "<@U0BOB|".repeat(1_000_000);
    expect(readChannelMessage(sent({ text }), wanted)).toContain("more than 8,192 characters");
  });

  it.each([
    ["no time", { ts: undefined }],
    ["a time that is none", { ts: "yesterday" }],
    ["no channel", { channel: undefined }],
    ["a text that is none", { text: 5 }],
  ])("with %s is refused", (_name, change) => {
    expect(() => readChannelMessage(sent(change), wanted)).toThrow("The body is no event of Slack's");
  });
});
