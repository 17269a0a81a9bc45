import { z } from "zod";
import { atomicOf, LocalReference, matching, notBlank, text } from "./schema.ts";
import { Target } from "./targets.ts";

/** Routing rules of one Integration. */
export const mostRoutingRules = 100;

const TeamId = matching(text(32), /^T[A-Z0-9]+$/, "must be the id of a Slack workspace, such as T0123ABCD");
export const SlackChannelId = matching(
  text(32),
  /^[CG][A-Z0-9]+$/,
  "must be the id of a Slack channel, such as C0123ABCD",
);

export const SlackUserGroupId = matching(
  text(32),
  /^S[A-Z0-9]+$/,
  "must be the id of a Slack user group, such as S0123ABCD",
);

const RoutingRule = z
  .object({
    keyword: notBlank(text(100)).describe(
      "keyword is a word or phrase, at most 100 characters; it is looked for as a whole word, without regard to case and to white space around it, and never as a pattern.",
    ),
    target: Target.describe("target is what a session works on when the request has the keyword."),
  })
  .describe("RoutingRule says what requests with a keyword are about.");
export type RoutingRule = z.infer<typeof RoutingRule>;

const ChannelMapping = z
  .object({
    id: SlackChannelId.describe("id is what Slack shows at the end of the channel's details, such as C024BE91L."),
    target: Target.describe("target is what requests in the channel are about."),
  })
  .describe("ChannelMapping says what requests in a channel are about.");

export const SlackSettings = z
  .object({
    teamID: TeamId.describe("teamID is the id of the workspace; events of others are refused."),
    repositories: atomicOf(z.array(LocalReference).max(50))
      .default([])
      .describe(
        "repositories are the Repositories of the same namespace that requests may be about, at most 50. Defaults to none.",
      ),
    environments: atomicOf(z.array(LocalReference).max(50))
      .default([])
      .describe(
        "environments are the Environments of the same namespace that requests may be about, at most 50. Defaults to none.",
      ),
    rules: atomicOf(z.array(RoutingRule).max(mostRoutingRules))
      .default([])
      .describe("rules find the target by keywords, at most 100; they go before channels. Defaults to none."),
    channels: atomicOf(z.array(ChannelMapping).max(100))
      .default([])
      .describe("channels map channels to targets, at most 100. Defaults to none."),
  })
  .describe("SlackSettings are what an Integration of type Slack needs.");
export type SlackSettings = z.infer<typeof SlackSettings>;
