import { describe, expect, it } from "vitest";

import type { Conversation, Post, Prompt } from "../../api/v1alpha1/index.ts";
import { aVerdict } from "../../../test/support/builders.ts";
import type { ConversationFacts } from "./facts.ts";
import { answerOf, duePosts, hasRoomFor, isSilent, mediaPost, nextPostMs, withPosts } from "./posts.ts";

const now = new Date("2026-05-04T10:15:00Z");
const later = (ms: number): string => new Date(now.getTime() + ms).toISOString();
const post: Post = {
  id: "p",
  kind: "Answer",
  eventUID: "e1",
  progress: "Waiting",
  tries: 0,
  sessionName: "r-0",
  promptName: "r-0-1",
};

function prompt(succeeded: boolean | undefined, result?: object): Prompt {
  const conditions = succeeded === undefined ? [] : [aVerdict(succeeded, succeeded ? "Completed" : "Failed", now)];
  return { metadata: { name: "r-0-1" }, spec: {}, status: { conditions, result } } as unknown as Prompt;
}

function facts(stored: Prompt | undefined, { expireMs = 1, of = post } = {}): ConversationFacts {
  return {
    conversation: {
      metadata: {},
      spec: {},
      status: { expireTime: later(expireMs), posts: [of] },
    } as unknown as Conversation,
    events: [],
    prompts: new Map(stored ? [["r-0-1", stored]] : []),
  } as unknown as ConversationFacts;
}

describe("the answer of an Automation's Run", () => {
  it.each([
    ["before the prompt is there", undefined, 1, []],
    ["while the prompt is at work", prompt(undefined), 0, []],
    ["once it has ended", prompt(true), 1, [{ post, prompt: prompt(true) }]],
    ["once it has failed, after the last day, too", prompt(false), 0, [{ post, prompt: prompt(false) }]],
    ["that never came, after the last day", undefined, 0, [{ post, isDropped: true }]],
  ])("%s", (_name, stored, expireMs, want) => {
    expect(duePosts(facts(stored, { expireMs }), now)).toEqual(want);
  });

  it("is looked at again when its time is over", () => {
    expect(nextPostMs(facts(undefined, { expireMs: 5_000 }), now)).toBe(5_000);
    expect(nextPostMs(facts(undefined, { expireMs: 5_000, of: { ...post, nextTryTime: later(70) } }), now)).toBe(70);
    expect(nextPostMs(facts(undefined, { expireMs: 5_000, of: { ...post, progress: "Sent" } }), now)).toBeUndefined();
  });

  it("of a person's request is not looked at when its mapping ends", () => {
    expect(
      nextPostMs(facts(undefined, { expireMs: 5_000, of: { ...post, promptName: undefined } }), now),
    ).toBeUndefined();
  });
});

it.each([
  ["", true],
  [" \n", true],
  ["NO_REPLY", true],
  ["no_reply.", true],
  [" No_Reply ", true],
  ["NO_REPLY..", false],
  ["NO_REPLY: all is well", false],
  ["done", false],
])("an answer of %j is silent: %s", (summary, want) => {
  expect(isSilent(post, prompt(true, { summary }))).toBe(want);
  expect(isSilent(post, prompt(true, { summary, branch: "fix" }))).toBe(false);
  expect(isSilent(post, prompt(false, { summary }))).toBe(false);
  expect(isSilent({ ...post, promptName: undefined }, prompt(true, { summary }))).toBe(false);
});

it("an answer names each branch that was pushed, and one with pushes elsewhere is not silent", () => {
  const commit = "a".repeat(40);
  const pushes = [
    { repository: "api", branch: "fix", commit },
    { repository: "ui", branch: "fix", commit },
  ];
  const { text } = answerOf(prompt(true, { summary: "Done.", branch: "fix", commit, pushes }));
  expect(text).toBe("Done.\n\nBranch: `fix`\nBranch: `fix` of ui");
  expect(isSilent(post, prompt(true, { summary: "NO_REPLY", pushes: pushes.slice(1) }))).toBe(false);
});

describe("posts that are kept", () => {
  const many = (kind: Post["kind"], count: number, progress: Post["progress"] = "Sent"): Post[] =>
    Array.from({ length: count }, (_, index) => ({ ...post, id: `${kind} ${progress} ${index}`, kind, progress }));
  const added: Post = { ...post, id: "added" };

  it.each([
    { finished: 9, dropped: 0 },
    { finished: 10, dropped: 0 },
    { finished: 11, dropped: 1 },
  ])("are the last 10 of $finished finished answers", ({ finished, dropped }) => {
    const answers = many("Answer", finished);
    expect(withPosts(answers, [added])).toEqual([...answers.slice(dropped), added]);
  });

  it("are questions and the answers to them beside other answers, so that a list can be used for its hour", () => {
    const [question] = many("Question", 1).map((one) => ({ ...one, eventUID: "asked" }));
    const [reply] = many("Answer", 1, "Sent").map((one) => ({ ...one, id: "reply", eventUID: "asked" }));
    const answers = many("Answer", 11);
    expect(withPosts([question!, reply!, ...answers], [added])).toEqual([question, reply, ...answers.slice(1), added]);
  });

  it("are the last 10 questions, and an older question's answer as any other", () => {
    const questions = many("Question", 11).map((one, index) => ({ ...one, eventUID: `asked ${index}` }));
    const replies = questions.slice(0, 1).map((one): Post => ({ ...one, id: "reply", kind: "Answer" }));
    const answers = many("Answer", 10);
    expect(withPosts([...questions, ...replies, ...answers], [added])).toEqual([
      ...questions.slice(1),
      ...answers,
      added,
    ]);
  });

  it("are all that are not finished", () => {
    const waiting = many("Answer", 12, "Waiting");
    expect(withPosts(waiting, [added])).toEqual([...waiting, added]);
  });

  it.each(["PrivateNote", "Refusal"] as const)("are answers, however often people get a %s", (kind) => {
    const [answers, notes] = [many("Answer", 10), many(kind, 11)];
    expect(withPosts([...answers, ...notes], [added])).toEqual([...answers, ...notes.slice(1), added]);
  });
});

describe("posts of which more than 100 would be kept", () => {
  const posts = (count: number, progress: Post["progress"]): Post[] =>
    Array.from({ length: count }, (_, index) => ({ ...post, id: `${progress} ${index}`, progress }));
  const added: Post = { ...post, id: "added" };
  const sent = posts(10, "Sent");

  it.each([
    { waiting: 88, dropped: 0 },
    { waiting: 89, dropped: 0 },
    { waiting: 90, dropped: 1 },
    { waiting: 99, dropped: 10 },
  ])(
    "lose $dropped that were posted and none of $waiting that wait, also where those are older",
    ({ waiting, dropped }) => {
      for (const progress of ["Waiting", "Pending"] as const) {
        const older = posts(waiting, progress);
        expect(withPosts([...older, ...sent], [added])).toEqual([...older, ...sent.slice(dropped), added]);
      }
    },
  );

  it.each([
    { waiting: 98, more: 2, has: true },
    { waiting: 99, more: 2, has: false },
    { waiting: 99, more: 1, has: true },
    { waiting: 100, more: 1, has: false },
    { waiting: 100, more: 0, has: true },
  ])("have room for $more beside $waiting that wait: $has", ({ waiting, more, has }) => {
    const known = [...posts(waiting, "Waiting"), ...sent];
    const fresh = posts(more, "Pending");
    expect(hasRoomFor(known, fresh)).toBe(has);
    if (has) expect(withPosts(known, fresh).filter(({ progress }) => progress === "Waiting")).toHaveLength(waiting);
    else expect(() => withPosts(known, fresh)).toThrow("100 posts");
  });

  it("have room for a change of one that waits", () => {
    const known = posts(100, "Waiting");
    const changed: Post = { ...known[0]!, progress: "Sent" };
    expect(hasRoomFor(known, [changed])).toBe(true);
    expect(withPosts(known, [changed])).toEqual([...known.slice(1), changed]);
  });

  it("have room for the files of an answer that was just posted", () => {
    const known = posts(100, "Waiting").map((one, index) =>
      index === 0 ? { ...one, progress: "Sent" as const } : one,
    );
    expect(withPosts(known, [added])).toEqual([...known.slice(1), added]);
  });
});

describe("files of an answer", () => {
  const media = { files: [], leftOut: 1 };
  const withMedia = (summary: string): Prompt => {
    const { status, ...rest } = prompt(true, { summary });
    return { ...rest, status: { ...status, media } };
  };
  const slack = { channelID: "C1", threadTS: "1.1", messageTS: "1.2", userID: "U1" };

  it("are posted after it, in the same thread, under an id that follows from it", () => {
    const found = mediaPost({ ...post, slack }, withMedia("done"));
    expect(found).toMatchObject({ kind: "Media", eventUID: "e1", progress: "Waiting", tries: 0, promptName: "r-0-1" });
    expect(found?.slack).toEqual({ channelID: "C1", threadTS: "1.1" });
    expect(mediaPost({ ...post, slack }, withMedia("again"))?.id).toBe(found?.id);
    expect(mediaPost({ ...post, id: "q", slack }, withMedia("done"))?.id).not.toBe(found?.id);
  });

  it.each([
    ["of a prompt without any", { ...post, slack }, prompt(true, {})],
    ["of a prompt that is gone", { ...post, slack }, undefined],
    ["of another kind of post", { ...post, slack, kind: "Note" as const }, withMedia("done")],
    ["at a provider that takes none", post, withMedia("done")],
  ])("are none %s", (_, answer, of) => expect(mediaPost(answer, of)).toBeUndefined());

  it("make an answer of an Automation that says nothing be posted", () => {
    expect(isSilent(post, withMedia("NO_REPLY"))).toBe(false);
  });
});
