import { expect, it } from "vitest";

import { slackApp } from "../../../test/support/slack-app.ts";
import { readSlackEvent } from "./slack-event.ts";

const { settings } = slackApp;
const message = { channel: "C1", user: "U1", text: "fix it", ts: "1.1" };
const examples: Readonly<Record<string, object>> = {
  app_mention: { type: "app_mention", ...message },
  "message.im": { type: "message", channel_type: "im", ...message },
  "message.channels": { type: "message", channel_type: "channel", ...message },
  "message.groups": { type: "message", channel_type: "group", ...message },
  app_home_opened: { type: "app_home_opened", user: "U1", tab: "home" },
  tokens_revoked: { type: "tokens_revoked" },
  app_uninstalled: { type: "app_uninstalled" },
};

it.each(settings.event_subscriptions.bot_events)("of what the app subscribes to, %s is handled", (name) => {
  const authorizations = [{ user_id: "U0BOT", is_bot: true }];
  const sent = { type: "event_callback", team_id: "T1", event_id: "Ev1", authorizations, event: examples[name] };
  expect(readSlackEvent(sent, new Set(["C1"])).event).toMatchObject({ action: expect.any(String) as string });
});

it("subscribes to all that is handled", () => {
  expect([...settings.event_subscriptions.bot_events].sort()).toEqual(Object.keys(examples).sort());
});

it("has one address for events and clicks", () => {
  const path = /^https:\/\/hooks\.example\.com\/integrations\/shop\.slack\/slack$/;
  expect(settings.event_subscriptions.request_url).toMatch(path);
  expect(settings.interactivity).toEqual({ is_enabled: true, request_url: settings.event_subscriptions.request_url });
});
