import { expect, it } from "vitest";

import { readSlackEvent } from "./slack-event.ts";

function read(event: object) {
  const body = {
    type: "event_callback",
    team_id: "T0ACME",
    event_id: "Ev1",
    event: { type: "app_home_opened", ...event },
  };
  return readSlackEvent(body, new Set());
}

const opened = { user: "U0ANN", channel: "D0ANN", tab: "home", event_ts: "1.2" };

it.each([
  { name: "without a view", view: undefined, hash: "" },
  { name: "with a view that has no hash", view: {}, hash: "" },
  { name: "with a view", view: { hash: "156772938.1827394" }, hash: "156772938.1827394" },
  { name: "with a hash of 100 characters", view: { hash: "a".repeat(100) }, hash: "a".repeat(100) },
])("a home that is opened $name is an event of the person and the view", ({ view, hash }) => {
  expect(read({ ...opened, view })).toEqual({
    teamId: "T0ACME",
    eventId: `home/U0ANN/${hash}`,
    event: { action: "HomeOpened", channelID: "", actor: { id: "U0ANN" }, ...(hash !== "" && { viewHash: hash }) },
  });
});

it.each([
  { name: "a hash of 101 characters", change: { view: { hash: "a".repeat(101) } } },
  { name: "no person", change: { user: undefined } },
  { name: "a person who is none of Slack's", change: { user: "../x" } },
])("$name is refused", ({ change }) => {
  expect(() => read({ ...opened, ...change })).toThrow("The body is no event of Slack's");
});

it.each(["messages", "about", undefined])("the tab %s is not handled", (tab) => {
  expect(read({ ...opened, tab }).event).toBe("of the app's home, the Home tab alone is handled");
});
