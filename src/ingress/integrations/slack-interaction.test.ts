import { describe, expect, it } from "vitest";

import { readSlackInteraction } from "./slack-event.ts";

const postID = "0b9e1c1e-0000-4000-8000-000000000001";

interface Changes {
  container?: object;
  action?: object;
  rest?: object;
}

/** A press of a button, as Slack writes it, with these changes. */
function press({ container = {}, action = {}, rest = {} }: Changes = {}): object {
  return {
    type: "block_actions",
    team: { id: "T0ACME", domain: "acme" },
    user: { id: "U0ANN", username: "ann", team_id: "T0ACME" },
    trigger_id: "12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3",
    container: { type: "message", channel_id: "C0OPS", message_ts: "2.000001", thread_ts: "1.000001", ...container },
    actions: [{ type: "button", block_id: postID, action_id: "pull-request", value: "open", ...action }],
    ...rest,
  };
}

const chosen = { type: "static_select", action_id: "choose", value: undefined, selected_option: { value: "api" } };

describe("a click", () => {
  it("is what a person asks of an answer, in its thread, under the trigger's id", () => {
    expect(readSlackInteraction(press())).toEqual({
      teamId: "T0ACME",
      eventId: "12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3",
      event: {
        action: "PullRequestAsked",
        channelID: "C0OPS",
        threadTS: "1.000001",
        actor: { id: "U0ANN", teamID: "T0ACME" },
        choice: { postID, value: "open", messageTS: "2.000001" },
      },
    });
  });

  it("on an entry of a list is a choice of its value, whatever value the element has", () => {
    const { event } = readSlackInteraction(press({ action: { ...chosen, value: "other" } }));
    expect(event).toMatchObject({ action: "Chosen", choice: { postID, value: "api" } });
  });

  it("on a message that is in no thread is in that message's own", () => {
    const { event } = readSlackInteraction(press({ container: { thread_ts: null } }));
    expect(event).toMatchObject({ threadTS: "2.000001" });
  });

  it("of a person whose workspace Slack leaves out is of nobody's", () => {
    const { event } = readSlackInteraction(press({ rest: { user: { id: "U0ANN" } } }));
    expect(event).toMatchObject({ actor: { id: "U0ANN" } });
    expect(event).not.toHaveProperty("actor.teamID");
  });

  it.each([79, 80, 81])("of a value of %d characters has at most 80", (length) => {
    const { event } = readSlackInteraction(press({ action: { value: "a".repeat(length) } }));
    expect(event).toMatchObject({ choice: { value: "a".repeat(Math.min(length, 80)) } });
  });

  it.each([
    ["an element of another app's", { block_id: "Ab3" }],
    ["an element without a value", { value: null }],
    ["a list in which nothing is chosen", { ...chosen, selected_option: null }],
  ])("on %s is not handled", (_, action) => {
    expect(readSlackInteraction(press({ action })).event).toBe("this element is not handled");
  });

  it("of another type is named and not handled", () => {
    const { event } = readSlackInteraction(press({ rest: { type: "view_submission", actions: undefined } }));
    expect(event).toBe('interactions of type "view_submission" are not handled');
  });

  it.each([
    ["no trigger", { rest: { trigger_id: undefined } }],
    ["a trigger of 201 characters", { rest: { trigger_id: "1".repeat(201) } }],
    ["no workspace", { rest: { team: null } }],
    ["no person", { rest: { user: undefined } }],
    ["a person that is none", { rest: { user: { id: "U0ANN\n" } } }],
    ["no channel", { container: { channel_id: undefined } }],
    ["a time that is none", { container: { message_ts: "yesterday" } }],
    ["no element", { rest: { actions: [] } }],
  ] satisfies [string, Changes][])("with %s is refused", (_, changes) => {
    expect(() => readSlackInteraction(press(changes))).toThrow("The body is no event of Slack's");
  });
});
