import { describe, expect, it } from "vitest";
import { isDeliveryType } from "../../api/v1alpha1/index.ts";
import { anAutomation, aRun, aSession } from "./fake-facts.ts";
import { annotations } from "../../api/v1alpha1/names.ts";
import { parseTraceparent } from "../../domain/tracing/trace-context.ts";
import { firstPromptName } from "../../domain/prompts/first-prompt-name.ts";
import { sessionName } from "../../domain/runs/session-name.ts";
import { isOwnedAlike, makeFirstPrompt, makeSession } from "./resources.ts";
import { runContext } from "./run-spans.ts";

describe("what a Run makes", () => {
  it.each([
    ["r", "r-0"],
    ["r".repeat(59), `${"r".repeat(59)}-0`],
  ])("has names that follow from the Run's: %s", (name, want) => {
    expect(makeSession(aRun({}, { name }), anAutomation(), 0).metadata.name).toBe(want);
  });

  it("has names of at most 63 characters that differ where long ones do", () => {
    const names = ["a", "b"].map((end) => sessionName(`${"r".repeat(62)}${end}`, 9));
    expect(names.map((name) => firstPromptName(name).length)).toEqual([63, 63]);
    expect(names[0]).not.toBe(names[1]);
  });

  it("has a title of at most 200 characters", () => {
    const automation = anAutomation({ displayName: "😀".repeat(200) });
    expect(Array.from(makeSession(aRun(), automation, 0).spec.title!)).toHaveLength(200);
  });

  it.each([
    { target: { repositoryRef: { name: "checkout" } }, want: { repositoryRefs: [{ name: "checkout" }] } },
    { target: { environmentRef: { name: "shop" } }, want: { environmentRef: { name: "shop" } } },
  ])("works on the automation's target", ({ target, want }) => {
    expect(makeSession(aRun(), anAutomation({ targets: [target] }), 0).spec.target).toEqual(want);
  });

  it.each([
    [`00-${"a".repeat(32)}-${"b".repeat(16)}-01`, true],
    [`00-${"a".repeat(32)}-${"b".repeat(16)}-00`, true],
    ["anything else", false],
    [undefined, false],
  ])("goes on with the Run's trace: %s", (traceparent, isKept) => {
    const run = aRun({}, traceparent === undefined ? {} : { annotations: { [annotations.traceparent]: traceparent } });
    const made = parseTraceparent(makeSession(run, anAutomation(), 0).metadata.annotations?.[annotations.traceparent]);
    const { context } = runContext(run, () => true);
    expect(made).toEqual(isKept ? context : undefined);
  });

  it("is known again by owner and labels", () => {
    const wanted = makeSession(aRun(), anAutomation(), 0);
    const { metadata } = wanted;
    expect(isOwnedAlike({ metadata: { ...metadata, annotations: { note: "mine" } } }, wanted)).toBe(true);
    expect(isOwnedAlike({ metadata: { ...metadata, labels: {} } }, wanted)).toBe(false);
    expect(isOwnedAlike({ metadata: { ...metadata, ownerReferences: [] } }, wanted)).toBe(false);
  });

  it.each([
    { type: "Webhook", text: /^Fix it\.\n\n---\n\nThis run was started by an inbound webhook\.\n/ },
    { type: "ErrorTracker", text: /^Fix it\.\n\n---\n\nThis run was started by an event of an error tracker\.\n/ },
    { type: "Slack", text: /^Fix it\.[^]*This run was started by a message in a channel of Slack's/ },
    { type: "Manual", text: /^Fix it\.$/ },
    { type: "Schedule", text: /^Fix it\.$/ },
  ] as const)("has the text for trigger $type", ({ type, text }) => {
    const run = aRun({ type, payload: isDeliveryType(type) ? "{}" : undefined });
    expect(makeFirstPrompt(run, anAutomation(), aSession("run-0")).spec.text).toMatch(text);
  });

  it("contains the time of the delivery, not of the prompt", () => {
    const run = aRun({ time: "2026-05-04T11:15:00+02:00" });
    expect(makeFirstPrompt(run, anAutomation(), aSession("run-0")).spec.text).toContain(
      "Received: 2026-05-04T09:15:00.000Z",
    );
  });
});
